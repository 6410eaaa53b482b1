"""Record what was done: in the history, and as the file that belongs to its kata."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..checker.report import Report
from .errors import Trouble
from .history import Attempt, Event, History
from .workspace import Workspace

__all__ = ["Recorder"]

_LARGEST = 4 << 20


class Recorder:
    """Takes in what happens. troubles: what could not be stored, to be said.

    asked_by: the command: check, watch or interview.
    """

    def __init__(self, workspace: Workspace, asked_by: str = "check") -> None:
        self.workspace = workspace
        self.asked_by = asked_by
        self.history = History(workspace.folder)

    @property
    def troubles(self) -> list[Trouble]:
        """What went wrong, each once."""
        found = [*self.workspace.troubles, *self.history.troubles]
        return [one for at, one in enumerate(found) if one not in found[:at]]

    def recorded(self, reports: Iterable[Report], *, alone: bool) -> Iterator[Report]:
        """Store each report before it is passed on: a verdict that was seen is on record."""
        for report in reports:
            self.record(report, alone=alone)
            yield report

    def record(self, report: Report, *, alone: bool) -> None:
        """Store a report. A file that was judged alone becomes its kata's file."""
        file = Path(report.file)
        # Several files at once are no one's work in progress.
        batch = self.asked_by == "check" and not alone
        asked_by = "batch" if batch else self.asked_by
        self.history.add(Attempt.of(report, _hash(file), asked_by))
        if alone and file.is_file():
            self.workspace.remember(report.kata, file)

    def started(self, kata: str, file: Path) -> None:
        """Note that a stub was handed out."""
        self.workspace.remember(kata, file)
        self.history.note(Event(kata=kata, kind="start", detail=str(file.absolute())))

    def hinted(self, kata: str, number: int) -> None:
        """Note that a hint was given."""
        self.workspace.saw_hint(kata, number)
        self.history.note(Event(kata=kata, kind="hint", detail=str(number)))

    def spoiled(self, kata: str) -> None:
        """Note that the model answer was shown."""
        self.history.note(Event(kata=kata, kind="solution"))


def _hash(file: Path) -> str | None:
    """Return a file's SHA-256, nothing for what is no file of a sane size."""
    try:
        if file.is_file() and file.stat().st_size <= _LARGEST:
            return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        pass
    return None
