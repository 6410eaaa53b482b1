"""Everything that was judged, and what happened between: the person's history.

What cannot be stored is a trouble to be said, and the command goes on.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..checker import Report
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
    (
        # Why an attempt is an error, see Attempt.fault; and the line.
        "ALTER TABLE attempts ADD COLUMN fault TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE attempts ADD COLUMN line INTEGER",
    ),
    ("ALTER TABLE attempts ADD COLUMN exception TEXT NOT NULL DEFAULT ''",),
)
_COLUMNS = {
    "attempts": {"time", "kata", "file", "verdict", "mistakes", "elapsed_ms", "seed",
                 "source_hash", "asked_by", "fault", "line", "exception"},
    "events": {"time", "kata", "kind", "detail", "after_attempt"},
}  # fmt: skip
_INSERT = """
INSERT INTO attempts
    (time, kata, file, verdict, mistakes, elapsed_ms, seed, source_hash, asked_by, fault, line,
     exception)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_NOTE = """
INSERT INTO events (time, kata, kind, detail, after_attempt)
VALUES (?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM attempts))
"""
_STORY = """
SELECT id, 0 AS late, id AS at, time, kata, verdict, file, mistakes, elapsed_ms, seed,
       source_hash, asked_by, fault, line, exception
FROM attempts
UNION ALL
SELECT after_attempt, 1, id, time, kata, kind, detail, NULL, 0, 0, NULL, NULL, '', NULL, ''
FROM events
ORDER BY 1, 2, 3
"""
_STARTED = "SELECT DISTINCT detail FROM events WHERE kind = 'start'"
# What happened after an attempt that is gone happened after the one before it: its number may
# be given to another.
_CLOSE_UP = """
UPDATE events
SET after_attempt = (SELECT coalesce(max(id), 0) FROM attempts WHERE id <= after_attempt)
"""
# A file with planted bugs that was mended is no kata that was written.
_STANDING = """
SELECT kata, max(verdict = 'pass') FROM attempts WHERE asked_by != 'debug' GROUP BY kata
"""


def _now() -> float:
    # Looked up at the moment, where a test may have set the clock.
    return clock.now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One check. mistakes: the named ones, in the report's order; time: seconds since 1970.

    asked_by: check, watch, interview, notebook, batch for a check of several files at once, or
    debug for an exercise with planted bugs, whose mistakes are those newly made.
    fault: why it is an error, as the report says it, `unfinished` where something is still to be
    written, or `unwritten`. exception: the name of the one that was raised, empty where there was
    none or an earlier version stored it. number: what the database calls it, None before it is
    stored.
    """

    kata: str
    file: str
    verdict: str
    mistakes: tuple[str, ...]
    elapsed_ms: int
    seed: int
    source_hash: str | None
    asked_by: str = "check"
    fault: str = ""
    line: int | None = None
    exception: str = ""
    number: int | None = None
    time: float = field(default_factory=_now)

    @classmethod
    def of(cls, report: Report, source_hash: str | None, asked_by: str = "check") -> Attempt:
        """Make an attempt of a report; what came by standard input has no place."""
        return cls(
            kata=report.kata,
            file=report.file if report.file == "-" else str(Path(report.file).absolute()),
            verdict=report.verdict,
            mistakes=tuple(diagnosis.mistake for diagnosis in report.diagnosis),
            elapsed_ms=report.elapsed_ms,
            seed=report.seed,
            source_hash=source_hash,
            asked_by=asked_by,
            fault=_why(report),
            line=report.error.line if report.error is not None else None,
            exception=report.error.exception if report.error is not None else "",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What a person did beside having files judged.

    kind: start, hint or solution; of an exercise with planted bugs debug, debug-said, debug-hint
    or debug-answer, with their details as JSON; of an interview question, question.
    """

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
            attempt.fault,
            attempt.line,
            attempt.exception,
        )
        return self.work(lambda it: bool(it.execute(_INSERT, row)), otherwise=False, make=True)

    def note(self, event: Event) -> bool:
        """Store an event, or say why not; whether it is stored."""
        row = (event.time, event.kata, event.kind, _writable(event.detail))
        return self.work(lambda it: bool(it.execute(_NOTE, row)), otherwise=False, make=True)

    def take_back(self, attempts: Sequence[Attempt]) -> bool:
        """Delete attempts that `story` told of, or say why not; whether they are gone."""
        numbers = [(attempt.number,) for attempt in attempts]

        def delete(connection: sqlite3.Connection) -> bool:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("DELETE FROM attempts WHERE id = ?", numbers)
            connection.execute(_CLOSE_UP)
            connection.execute("COMMIT")
            return True

        return self.work(delete, otherwise=False, make=True)

    def folders(self) -> set[str]:
        """Return the folders into which `start` has handed out stubs, resolved."""
        rows = self.work(lambda it: it.execute(_STARTED).fetchall(), otherwise=[])
        return {os.path.realpath(Path(file).parent) for (file,) in rows}

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


def _why(report: Report) -> str:
    if report.error is None:
        return ""
    return "unfinished" if report.unfinished else report.error.kind


def _told(row: tuple[Any, ...]) -> Attempt | Event:
    (_, late, number, time, kata, what, text, mistakes, elapsed_ms, seed, source_hash, asked_by,
     fault, line, exception) = row  # fmt: skip
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
        fault=fault,
        line=line,
        exception=exception,
        number=number,
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
