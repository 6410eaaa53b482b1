"""The interviews on disk: events, each committed as it happens.

One that cannot be stored stays in memory, and goes to disk with the next that can be.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..database import Layout
from ..records import Records
from . import clock
from .clock import Reading

__all__ = ["Event", "Store"]

_APPLICATION = 0x61746B69  # "atki": tells our database from another's, and from the history
# What each version added; the database of every user is one of these.
_STEPS = (
    (
        """
        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            interview INTEGER NOT NULL,
            kind TEXT NOT NULL,
            reading TEXT NOT NULL,
            data TEXT NOT NULL
        )
        """,
    ),
    (
        """
        CREATE TABLE lookups (
            id INTEGER PRIMARY KEY,
            interview INTEGER NOT NULL,
            reading TEXT NOT NULL,
            command TEXT NOT NULL
        )
        """,
    ),
)
_COLUMNS = {
    "events": {"interview", "kind", "reading", "data"},
    "lookups": {"interview", "reading", "command"},
}
_LOOK_UP = "INSERT INTO lookups (interview, reading, command) VALUES (?, ?, ?)"
_LOOKUPS = "SELECT command FROM lookups WHERE interview = ? ORDER BY id"
_OPENED = "SELECT count(*) FROM events WHERE interview = ? AND kind = 'opened'"
_INSERT = "INSERT INTO events (interview, kind, reading, data) VALUES (?, ?, ?, ?)"
_READINGS = "SELECT reading FROM events WHERE interview = ? ORDER BY id"
_EVENTS = "SELECT kind, reading, data FROM events WHERE interview = ? ORDER BY id"
_NUMBERS = "SELECT DISTINCT interview FROM events ORDER BY interview"
_OPEN = """
SELECT max(interview) FROM events
WHERE interview NOT IN (SELECT interview FROM events WHERE kind = 'ended')
"""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in an interview, and what the clocks said."""

    kind: str
    reading: Reading
    data: dict[str, Any]


class Store(Records):
    """The events of all interviews. troubles: what could not be stored or read, to be said."""

    name = "interviews.sqlite3"
    layout = Layout(application=_APPLICATION, steps=_STEPS, columns=_COLUMNS)
    called = "interviews"

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__(folder)
        self._known: dict[int, list[Event]] = {}

    def new(self) -> int:
        """Return the number of the next interview."""
        return max(self.numbers(), default=0) + 1

    def numbers(self) -> list[int]:
        """Return the numbers of the interviews that are stored."""
        rows = self.work(lambda it: it.execute(_NUMBERS).fetchall(), otherwise=[])
        return [row[0] for row in rows]

    def unfinished(self) -> int | None:
        """Return the interview that has not ended, if there is one."""
        rows = self.work(lambda it: it.execute(_OPEN).fetchall(), otherwise=[])
        return rows[0][0] if rows else None

    def events(self, number: int) -> list[Event]:
        """Return an interview's events, in order."""
        rows = self.work(lambda it: it.execute(_EVENTS, (number,)).fetchall(), otherwise=[])
        found = [
            Event(kind, Reading(**json.loads(reading)), json.loads(data))
            for kind, reading, data in rows
        ]
        self._known[number] = list(found)
        return found

    def add(self, number: int, event: Event) -> bool:
        """Store an event, or say why not; whether it is stored.

        The earlier ones that are not there go with it: those that could not be stored, and
        where the database was set aside meanwhile, the whole interview.
        """
        known = self._known.setdefault(number, [])
        known.append(event)
        rows = [_row(number, one) for one in known]

        def store_what_lacks(database: sqlite3.Connection) -> bool:
            database.execute("BEGIN IMMEDIATE")
            stored = [reading for (reading,) in database.execute(_READINGS, (number,))]
            if stored and stored[0] != rows[0][2]:
                # The numbers could not be read when this one was chosen.
                raise sqlite3.IntegrityError(f"there is another interview {number}")
            database.executemany(_INSERT, rows[len(stored) :])
            database.execute("COMMIT")
            return True

        return self.work(store_what_lacks, otherwise=False, make=True)

    def looked_up(self, command: str) -> None:
        """Note that something was looked up, where an interview is being held."""
        number = self.unfinished()
        if number is None:
            return
        row = (number, json.dumps(asdict(clock.read())), command)

        def note(database: sqlite3.Connection) -> None:
            if database.execute(_OPENED, (number,)).fetchone()[0]:
                database.execute(_LOOK_UP, row)

        self.work(note, otherwise=None, make=True)

    def lookups(self, number: int) -> list[str]:
        """Return what was looked up while an interview was held, in order."""
        rows = self.work(lambda it: it.execute(_LOOKUPS, (number,)).fetchall(), otherwise=[])
        return [row[0] for row in rows]


def _row(number: int, event: Event) -> tuple[int, str, str, str]:
    return number, event.kind, json.dumps(asdict(event.reading)), json.dumps(event.data)
