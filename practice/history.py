"""Everything that was judged, and what happened between: the person's history.

What cannot be stored is a trouble to be said, and the command goes on.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from ..checker.report import Report
from . import clock, database
from .errors import Trouble
from .home import home, reason

__all__ = ["Attempt", "Event", "History"]

_NAME = "history.sqlite3"
_INSERT = """
INSERT INTO attempts
    (time, kata, file, verdict, mistakes, elapsed_ms, seed, source_hash, asked_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_NOTE = """
INSERT INTO events (time, kata, kind, detail, after_attempt)
VALUES (?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM attempts))
"""
_STORY = """
SELECT id, 0 AS late, id AS at, time, kata, verdict, file, mistakes, elapsed_ms, seed,
       source_hash, asked_by
FROM attempts
UNION ALL
SELECT after_attempt, 1, id, time, kata, kind, detail, NULL, 0, 0, NULL, NULL FROM events
ORDER BY 1, 2, 3
"""
_STANDING = "SELECT kata, max(verdict = 'pass') FROM attempts GROUP BY kata"

_TRIES = 4

T = TypeVar("T")


def _now() -> float:
    # Looked up at the moment, where a test may have set the clock.
    return clock.now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One check. mistakes: the named ones, in the report's order; time: seconds since 1970.

    asked_by: check, watch, interview, or batch for a check of several files at once.
    """

    kata: str
    file: str
    verdict: str
    mistakes: tuple[str, ...]
    elapsed_ms: int
    seed: int
    source_hash: str | None
    asked_by: str = "check"
    time: float = field(default_factory=_now)

    @classmethod
    def of(cls, report: Report, source_hash: str | None, asked_by: str = "check") -> Attempt:
        """Make an attempt of a report."""
        return cls(
            kata=report.kata,
            file=str(Path(report.file).absolute()),
            verdict=report.verdict,
            mistakes=tuple(diagnosis.mistake for diagnosis in report.diagnosis),
            elapsed_ms=report.elapsed_ms,
            seed=report.seed,
            source_hash=source_hash,
            asked_by=asked_by,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What a person did beside having files judged. kind: start, hint or solution."""

    kata: str
    kind: str
    detail: str = ""
    time: float = field(default_factory=_now)


class History:
    """The attempts and events. troubles: what could not be stored or read, to be said."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home()
        self.troubles: list[Trouble] = []

    @property
    def path(self) -> Path:
        """The database's file."""
        return self.folder / _NAME

    def add(self, attempt: Attempt) -> bool:
        """Store an attempt, or say why not; whether it is stored."""
        row = (
            attempt.time,
            attempt.kata,
            _writable(attempt.file),
            attempt.verdict,
            json.dumps(attempt.mistakes),
            attempt.elapsed_ms,
            attempt.seed,
            attempt.source_hash,
            attempt.asked_by,
        )
        return self._with(lambda it: bool(it.execute(_INSERT, row)), otherwise=False, make=True)

    def note(self, event: Event) -> bool:
        """Store an event, or say why not; whether it is stored."""
        row = (event.time, event.kata, event.kind, _writable(event.detail))
        return self._with(lambda it: bool(it.execute(_NOTE, row)), otherwise=False, make=True)

    def story(self) -> list[Attempt | Event]:
        """Return all that happened, in order, with times that are to be believed."""
        rows = self._with(lambda it: it.execute(_STORY).fetchall(), otherwise=[])
        told = [_told(row) for row in rows]
        times = clock.believed([moment.time for moment in told], clock.now())
        return [replace(moment, time=time) for moment, time in zip(told, times, strict=True)]

    def standing(self) -> dict[str, str]:
        """Return how each kata that was tried stands: "passed" or "tried"."""
        rows = self._with(lambda it: it.execute(_STANDING).fetchall(), otherwise=[])
        return {kata: "passed" if passed else "tried" for kata, passed in rows}

    def count(self) -> int:
        """Return how many attempts are stored, after looking the whole database through."""
        return self._with(_counted, otherwise=0)

    def _with(
        self, work: Callable[[sqlite3.Connection], T], *, otherwise: T, make: bool = False
    ) -> T:
        """Work on the database; where there is none to work on, say why.

        A damaged page may show only in the middle of the work: it is kept aside as well, and
        what was to be written goes into a new one. Whatever the database says, the command
        goes on.
        """
        for left in reversed(range(_TRIES)):
            try:
                if not self.path.exists():
                    if not make:
                        return otherwise
                    database.create(self.path)
                with database.connect(self.path, writing=make) as connection:
                    return work(connection)
            except database.Unusable:
                mended = self._keep_aside(writing=make)
            except (OSError, sqlite3.Error) as fault:
                if left and not self.path.exists():
                    # Set aside by another command between our look and our opening it.
                    continue
                broken = isinstance(fault, sqlite3.Error) and database.damaged(fault)
                mended = broken and self._keep_aside(writing=make)
                if not broken:
                    self._closed(fault, writing=make)
            if not mended:
                break
        return otherwise

    def _keep_aside(self, *, writing: bool) -> bool:
        """Make way for a new database, and say so; whether there is a way."""
        try:
            kept = database.keep_aside(self.path)
        except (OSError, sqlite3.Error) as fault:
            self._closed(fault, writing=writing)
            return False
        if kept is not None:
            why, place = kept
            self.troubles.append(Trouble(f"history-{why}", {"kept": str(place)}))
        return True

    def _closed(self, fault: Exception, *, writing: bool) -> None:
        values = {"file": str(self.path), "reason": reason(fault)}
        key = "history-closed" if writing else "history-unread"
        if Trouble(key, values) not in self.troubles:
            self.troubles.append(Trouble(key, values))


def _writable(text: str) -> str:
    """Spell a name that is no text on this system as Python would."""
    return text.encode("utf-8", "backslashreplace").decode()


def _told(row: tuple[Any, ...]) -> Attempt | Event:
    _, late, _, time, kata, what, text, mistakes, elapsed_ms, seed, source_hash, asked_by = row
    if late:
        return Event(kata=kata, kind=what, detail=text, time=time)
    return Attempt(
        kata=kata,
        file=text,
        verdict=what,
        mistakes=_names(mistakes),
        elapsed_ms=elapsed_ms,
        seed=seed,
        source_hash=source_hash,
        asked_by=asked_by,
        time=time,
    )


def _names(stored: str) -> tuple[str, ...]:
    with suppress(ValueError):
        found = json.loads(stored)
        if isinstance(found, list):
            return tuple(str(name) for name in found)
    return ()


def _counted(connection: sqlite3.Connection) -> int:
    if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("integrity check failed")
    return int(connection.execute("SELECT count(*) FROM attempts").fetchone()[0])
