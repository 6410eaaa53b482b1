"""Record what was done: in the history, and as the file that belongs to its kata."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ..checker import Report
from ..kata.catalogue import LANGUAGES, UnknownKata, find
from ..kata.code import bare
from .errors import Trouble
from .history import Attempt, Event, History
from .recognise import header_of
from .workspace import Workspace

__all__ = ["Recorder"]

_LARGEST = 4 << 20


class Recorder:
    """Takes in what happens. troubles: what could not be stored, to be said.

    A check is recorded where its file lies in a folder into which `start` has handed out a
    kata, or was written in an interview; examples, model answers and other people's files that
    are judged on the way are none of one's history.

    asked_by: the command: check, watch, interview or notebook. keep: whether to record, whatever
    the file; None for the rule. language: the one that stubs are handed out in. left_out: how many
    checks were not recorded by the rule.
    """

    def __init__(
        self,
        workspace: Workspace,
        asked_by: str = "check",
        *,
        keep: bool | None = None,
        language: str = "en",
    ) -> None:
        self.workspace = workspace
        self.asked_by = asked_by
        self.keep = keep
        self.language = language
        self.left_out = 0
        self._unrecorded: list[Trouble] = []
        self.history = History(workspace.folder)
        self._folders: set[str] | None = None

    @property
    def troubles(self) -> list[Trouble]:
        """What went wrong, each once."""
        found = [*self.workspace.troubles, *self.history.troubles, *self._unrecorded]
        return [one for at, one in enumerate(found) if one not in found[:at]]

    def recorded(self, reports: Iterable[Report], *, alone: bool) -> Iterator[Report]:
        """Store each report before it is passed on: a verdict that was seen is on record."""
        for report in reports:
            self.record(report, alone=alone)
            yield report

    def record(self, report: Report, *, alone: bool) -> None:
        """Store a report, where it is one's own. A file judged alone becomes its kata's file."""
        file = Path(report.file)
        if report.debug is not None:
            self._record_mending(report)
            return
        if not self._is_kept(file):
            self._leave_out(report)
            return
        # Several files at once are no one's work in progress.
        batch = self.asked_by == "check" and not alone
        asked_by = "batch" if batch else self.asked_by
        source = _source(file)
        digest = None if source is None else hashlib.sha256(source).hexdigest()
        attempt = Attempt.of(report, digest, asked_by)
        meant = header_of(file) or report.kata
        if source is not None and _unwritten(meant, source):
            attempt = replace(attempt, fault="unwritten")
        self.history.add(attempt)
        # Who tries a file on another kata goes on with that kata elsewhere.
        if alone and file.is_file() and meant == report.kata:
            self.workspace.remember(report.kata, file)

    def record_cell(self, report: Report, code: str, notebook: Path) -> None:
        """Store what was judged of a notebook's cell, which is one's own work. code: the cell's."""
        source = code.encode("utf-8", "surrogatepass")
        placed = replace(report, file=str(notebook))
        attempt = Attempt.of(placed, hashlib.sha256(source).hexdigest(), self.asked_by)
        if _unwritten(report.kata, source):
            attempt = replace(attempt, fault="unwritten")
        self.history.add(attempt)

    def _record_mending(self, report: Report) -> None:
        """Store how an exercise stands. What it was handed out with is nobody's mistake."""
        if self.keep is not False and report.debug is not None:
            named = tuple(one.mistake for one in report.debug.broken if one.mistake)
            self.history.add(replace(Attempt.of(report, None, "debug"), mistakes=named))

    def _leave_out(self, report: Report) -> None:
        """Count what the rule leaves out. Whoever watches a file is told while they write."""
        if self.keep is None:
            self.left_out += 1
            if self.asked_by == "watch":
                self._unrecorded = [Trouble("not-recorded", {"file": report.file})]

    def _is_kept(self, file: Path) -> bool:
        if self.keep is not None or self.asked_by == "interview":
            return self.keep is not False
        if self._folders is None:
            self._folders = self.history.folders()
        return os.path.realpath(file.parent) in self._folders and str(file) != "-"

    def started(self, kata: str, file: Path) -> None:
        """Note that a stub was handed out."""
        self.workspace.remember(kata, file)
        self._folders = None
        self.history.note(Event(kata=kata, kind="start", detail=str(file.absolute())))

    def hinted(self, kata: str, number: int, step: str = "") -> None:
        """Note that a hint was given, on a step or on the kata as a whole."""
        self.workspace.saw_hint(kata, number, step)
        self.history.note(Event(kata=kata, kind="hint", detail=str(number)))

    def rated(self, kata: str, question: str, rating: str) -> None:
        """Note how well a question was answered: again, hard, good or easy."""
        detail = json.dumps({"id": question, "rating": rating})
        self.history.note(Event(kata=kata, kind="question", detail=detail))

    def spoiled(self, kata: str) -> None:
        """Note that the model answer was shown."""
        self.history.note(Event(kata=kata, kind="solution"))


def _source(file: Path) -> bytes | None:
    """Return what a file holds, nothing for what is no file of a sane size."""
    try:
        if file.is_file() and file.stat().st_size <= _LARGEST:
            return file.read_bytes()
    except OSError:
        pass
    return None


def _unwritten(kata: str, source: bytes) -> bool:
    """Whether it is what was handed out, whatever its comments say."""
    try:
        code = bare(source.decode("utf-8-sig"))
        return any(code == bare(find(kata).stub(language)) for language in LANGUAGES)
    except (UnknownKata, OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
