"""The interviews on disk: a SQLite database of events, each committed as it happens.

A database that cannot be used is kept aside under another name, never deleted; one that
cannot be written leaves the interview in memory, and the person is told.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..errors import Trouble
from ..home import home, reason, set_aside
from .clock import Reading

__all__ = ["Event", "Store"]

_NAME = "interviews.sqlite3"
_VERSION = 1
_APPLICATION = 0x61746B69  # "atki": tells our database from another's, and from the history
_BESIDE = ("-wal", "-shm")
_SCHEMA = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    interview INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reading TEXT NOT NULL,
    data TEXT NOT NULL
)
"""
_INSERT = "INSERT INTO events (interview, kind, reading, data) VALUES (?, ?, ?, ?)"
_EVENTS = "SELECT kind, reading, data FROM events WHERE interview = ? ORDER BY id"
_NUMBERS = "SELECT DISTINCT interview FROM events ORDER BY interview"
_OPEN = """
SELECT max(interview) FROM events
WHERE interview NOT IN (SELECT interview FROM events WHERE kind = 'ended')
"""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in an interview, and what the clocks said."""

    kind: str
    reading: Reading
    data: dict[str, Any]


class Store:
    """The events of all interviews. troubles: what could not be kept, to be said."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home()
        self.troubles: list[Trouble] = []

    @property
    def path(self) -> Path:
        """The database's file."""
        return self.folder / _NAME

    def new(self) -> int:
        """Return the number of the next interview."""
        return max(self.numbers(), default=0) + 1

    def numbers(self) -> list[int]:
        """Return the numbers of the interviews that are stored."""
        rows = self._with(lambda database: database.execute(_NUMBERS).fetchall(), otherwise=[])
        return [row[0] for row in rows]

    def unfinished(self) -> int | None:
        """Return the interview that has not ended, if there is one."""
        rows = self._with(lambda database: database.execute(_OPEN).fetchall(), otherwise=[])
        return rows[0][0] if rows else None

    def events(self, number: int) -> list[Event]:
        """Return an interview's events, in order."""
        rows = self._with(
            lambda database: database.execute(_EVENTS, (number,)).fetchall(), otherwise=[]
        )
        return [
            Event(kind, Reading(**json.loads(reading)), json.loads(data))
            for kind, reading, data in rows
        ]

    def add(self, number: int, event: Event) -> None:
        """Store an event, or say why not."""
        row = (number, event.kind, json.dumps(asdict(event.reading)), json.dumps(event.data))
        self._with(lambda database: database.execute(_INSERT, row), otherwise=None, make=True)

    def _with(
        self, work: Callable[[sqlite3.Connection], T], *, otherwise: T, make: bool = False
    ) -> T:
        try:
            connection = self._connected(make=make)
            if connection is None:
                return otherwise
            with closing(connection), connection:
                return work(connection)
        except (OSError, sqlite3.Error) as fault:
            self._give_up(fault)
        return otherwise

    def _give_up(self, fault: OSError | sqlite3.Error) -> None:
        with suppress(OSError):
            if isinstance(fault, sqlite3.DatabaseError) and _damaged(fault):
                self._keep_aside("broken")
                return
        values = {"file": str(self.path), "reason": reason(fault)}
        self._say(Trouble("interviews-closed", values))

    def _say(self, trouble: Trouble) -> None:
        if trouble not in self.troubles:
            self.troubles.append(trouble)

    def _connected(self, *, make: bool) -> sqlite3.Connection | None:
        if not make and not self.path.exists():
            return None
        if make:
            self.folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=5)
        try:
            why = _prepared(connection)
        except BaseException:
            connection.close()
            raise
        if why is None:
            return connection
        connection.close()
        self._keep_aside(why)
        return self._connected(make=make) if make else None

    def _keep_aside(self, why: str) -> None:
        kept = set_aside(self.path, why)
        for ending in _BESIDE:
            # Its log goes with it, or SQLite would play it into the new database.
            with suppress(OSError):
                self.path.with_name(_NAME + ending).rename(f"{kept}{ending}")
        self._say(Trouble(f"interviews-{why}", {"kept": str(kept)}))


def _prepared(connection: sqlite3.Connection) -> str | None:
    """Make the database ours where it is new; return why it cannot be used."""
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if _ours(connection):
            return "newer" if version > _VERSION else None
        if _tables(connection):
            return "foreign"
        connection.execute("PRAGMA journal_mode = WAL")
        # Two commands may find it new at once: one makes it, the other then finds it made.
        connection.execute("BEGIN IMMEDIATE")
        if not _tables(connection):
            connection.execute(_SCHEMA)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.commit()
    except sqlite3.DatabaseError as fault:
        if _damaged(fault):
            return "broken"
        raise
    return None


def _ours(connection: sqlite3.Connection) -> bool:
    return connection.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION


def _tables(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def _damaged(fault: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, not a lock, a full disk or a permission."""
    text = str(fault).lower()
    return not isinstance(fault, sqlite3.OperationalError) and (
        "malformed" in text or "not a database" in text
    )
