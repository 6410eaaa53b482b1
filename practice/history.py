"""Every check that was made: a SQLite database of attempts.

A database that cannot be used is kept aside under another name, never deleted.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..checker.report import Report
from .errors import Trouble
from .home import home, reason, set_aside

__all__ = ["Attempt", "History"]

_NAME = "history.sqlite3"
_VERSION = 1
_APPLICATION = 0x61746B61  # "atka": tells our database from another's
_BESIDE = ("-wal", "-shm")
_SCHEMA = """
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
"""
_INSERT = """
INSERT INTO attempts (time, kata, file, verdict, mistakes, elapsed_ms, seed, source_hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_STANDING = "SELECT kata, max(verdict = 'pass') FROM attempts GROUP BY kata"

T = TypeVar("T")


class _Unusable(Exception):
    """The database is broken, foreign or newer; `why` says which."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One check. mistakes: the named ones, in the report's order; time: seconds since 1970."""

    kata: str
    file: str
    verdict: str
    mistakes: tuple[str, ...]
    elapsed_ms: int
    seed: int
    source_hash: str | None
    time: float = field(default_factory=time.time)

    @classmethod
    def of(cls, report: Report, source_hash: str | None) -> Attempt:
        """Make an attempt of a report."""
        return cls(
            kata=report.kata,
            file=str(Path(report.file).absolute()),
            verdict=report.verdict,
            mistakes=tuple(diagnosis.mistake for diagnosis in report.diagnosis),
            elapsed_ms=report.elapsed_ms,
            seed=report.seed,
            source_hash=source_hash,
        )


class History:
    """The attempts. troubles: what could not be stored, to be said."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home()
        self.troubles: list[Trouble] = []

    @property
    def path(self) -> Path:
        """The database's file."""
        return self.folder / _NAME

    def add(self, attempt: Attempt) -> None:
        """Store an attempt, or say why not."""
        row = (
            attempt.time,
            attempt.kata,
            # A name that is no text on this system is stored as Python would spell it.
            attempt.file.encode("utf-8", "backslashreplace").decode(),
            attempt.verdict,
            json.dumps(attempt.mistakes),
            attempt.elapsed_ms,
            attempt.seed,
            attempt.source_hash,
        )
        self._with(lambda database: database.execute(_INSERT, row), otherwise=None, make=True)

    def standing(self) -> dict[str, str]:
        """Return how each kata that was tried stands: "passed" or "tried"."""
        rows = self._with(lambda database: database.execute(_STANDING).fetchall(), otherwise=[])
        return {kata: "passed" if passed else "tried" for kata, passed in rows}

    def count(self) -> int:
        """Return how many attempts are stored, after looking the whole database through."""
        return self._with(_counted, otherwise=0)

    def _with(
        self, work: Callable[[sqlite3.Connection], T], *, otherwise: T, make: bool = False
    ) -> T:
        """Work on the database and commit; where there is none to work on, say why.

        A damaged page may show only in the middle of the work: whatever the database
        says, the command goes on.
        """
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
        self.troubles.append(Trouble("history-closed", values))

    def _connected(self, *, make: bool) -> sqlite3.Connection | None:
        if not make and not self.path.exists():
            return None
        if make:
            self.folder.mkdir(parents=True, exist_ok=True)
        try:
            return _connect(self.path)
        except _Unusable as unusable:
            self._keep_aside(unusable.why)
        return _connect(self.path) if make else None

    def _keep_aside(self, why: str) -> None:
        kept = set_aside(self.path, why)
        for ending in _BESIDE:
            # Its log goes with it, or SQLite would play it into the new database.
            with suppress(OSError):
                self.path.with_name(_NAME + ending).rename(f"{kept}{ending}")
        self.troubles.append(Trouble(f"history-{why}", {"kept": str(kept)}))


def _counted(connection: sqlite3.Connection) -> int:
    if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("integrity check failed")
    return int(connection.execute("SELECT count(*) FROM attempts").fetchone()[0])


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=5)
    try:
        _prepare(connection)
    except sqlite3.DatabaseError as fault:
        connection.close()
        if _damaged(fault):
            raise _Unusable("broken") from fault
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Check whose database it is, and make ours where it is new."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application == _APPLICATION and version > _VERSION:
        raise _Unusable("newer")
    if application == _APPLICATION and version == _VERSION:
        _check_columns(connection)
        return
    # Nothing is written before it is known to be nobody's.
    _refuse_foreign(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    # Two commands may find it new at once: one makes it, the other then finds it made.
    connection.execute("BEGIN IMMEDIATE")
    if _refuse_foreign(connection):
        connection.rollback()
        return
    connection.execute(_SCHEMA)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.commit()


def _refuse_foreign(connection: sqlite3.Connection) -> bool:
    """Whether the database has been made ours meanwhile; _Unusable where it is another's."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION
    if tables and not ours:
        raise _Unusable("foreign")
    return ours


def _check_columns(connection: sqlite3.Connection) -> None:
    names = {row[1] for row in connection.execute("PRAGMA table_info(attempts)")}
    if not {"time", "kata", "file", "verdict", "mistakes", "source_hash"} <= names:
        raise _Unusable("broken")


def _damaged(fault: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, not a lock, a full disk or a permission."""
    text = str(fault).lower()
    return not isinstance(fault, sqlite3.OperationalError) and (
        "malformed" in text or "not a database" in text or "integrity" in text
    )
