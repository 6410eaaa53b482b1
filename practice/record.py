"""Record what was judged: in the history, and as the file that belongs to its kata."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..checker.report import Report
from .errors import Trouble
from .history import Attempt, History
from .workspace import Workspace

__all__ = ["Recorder"]

_LARGEST = 4 << 20


class Recorder:
    """Takes reports in. troubles: what could not be stored, to be said."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.history = History(workspace.folder)

    @property
    def troubles(self) -> list[Trouble]:
        """What went wrong, each once."""
        found = [*self.workspace.troubles, *self.history.troubles]
        return [one for at, one in enumerate(found) if one not in found[:at]]

    def record(self, report: Report, *, alone: bool) -> None:
        """Store a report. A file that was judged alone becomes its kata's file."""
        file = Path(report.file)
        self.history.add(Attempt.of(report, _hash(file)))
        if alone and file.is_file():
            self.workspace.remember(report.kata, file)


def _hash(file: Path) -> str | None:
    """Return a file's SHA-256, nothing for what is no file of a sane size."""
    try:
        if file.is_file() and file.stat().st_size <= _LARGEST:
            return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        pass
    return None
