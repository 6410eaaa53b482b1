"""Everything that was judged, and what happened between: the person's history.

What cannot be stored is a trouble to be said, and the command goes on.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..checker.report import Report
from . import clock, database
from .records import Records

__all__ = ["Attempt", "Event", "History"]

_APPLICATION = 0x61746B61  # "atka": tells our database from another's
# What each version added; the database of every user is one of these.
_STEPS = (
    (
        """
        CREATE TABLE attempts (
            id INTEGER PRIMARY KEY,
            time REAL NOT NULL,
            kata TEXT NOT NULL,
            file TEXT NOT NULL,
            verdict TEXT NOT NULL,
            mistakes TEXT NOT NULL,
            elapsed_ms INTEGER NOT NULL,
            seed INTEGER NOT NULL,
            source_hash TEXT
        )
        """,
    ),
    (
        # Who asked: check, watch, interview, or batch for several files at once.
        "ALTER TABLE attempts ADD COLUMN asked_by TEXT NOT NULL DEFAULT 'check'",
        # What happened between attempts: start, hint or solution. after_attempt is the last
        # attempt before it, which orders the two tables whatever the clock says.
        """
        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            time REAL NOT NULL,
            kata TEXT NOT NULL,
            kind TEXT NOT NULL,
            detail TEXT NOT NULL,
            after_attempt INTEGER NOT NULL
        )
        """,
    ),
)
_COLUMNS = {
    "attempts": {"time", "kata", "file", "verdict", "mistakes", "elapsed_ms", "seed",
                 "source_hash", "asked_by"},
    "events": {"time", "kata", "kind", "detail", "after_attempt"},
}  # fmt: skip
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


class History(Records):
    """The attempts and events. troubles: what could not be stored or read, to be said."""

    name = "history.sqlite3"
    layout = database.Layout(application=_APPLICATION, steps=_STEPS, columns=_COLUMNS)
    called = "history"

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
        return self.work(lambda it: bool(it.execute(_INSERT, row)), otherwise=False, make=True)

    def note(self, event: Event) -> bool:
        """Store an event, or say why not; whether it is stored."""
        row = (event.time, event.kata, event.kind, _writable(event.detail))
        return self.work(lambda it: bool(it.execute(_NOTE, row)), otherwise=False, make=True)

    def story(self) -> list[Attempt | Event]:
        """Return all that happened, in order, with times that are to be believed."""
        rows = self.work(lambda it: it.execute(_STORY).fetchall(), otherwise=[])
        told = [_told(row) for row in rows]
        times = clock.believed([moment.time for moment in told], clock.now())
        return [replace(moment, time=time) for moment, time in zip(told, times, strict=True)]

    def standing(self) -> dict[str, str]:
        """Return how each kata that was tried stands: "passed" or "tried"."""
        rows = self.work(lambda it: it.execute(_STANDING).fetchall(), otherwise=[])
        return {kata: "passed" if passed else "tried" for kata, passed in rows}

    def count(self) -> int:
        """Return how many attempts are stored, after looking the whole database through."""
        return self.work(_counted, otherwise=0)


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
