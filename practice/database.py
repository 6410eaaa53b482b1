"""A database of ours: opened, made, brought up to date, or kept aside.

One SQLite file in write-ahead mode. Every change is one transaction, so that the end of
the program at any moment leaves the records before it whole. A file that cannot be used
goes on under another name and is never deleted.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .home import alone, beside_others, set_aside

__all__ = ["Gone", "Layout", "Unusable", "connect", "create", "damaged", "keep_aside"]

_BESIDE = ("-wal", "-shm")
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a database of ours holds.

    application: tells it from another's. steps: what each version added, from the first on;
    a database is brought up to date by those it lacks. columns: what its tables must have.
    """

    application: int
    steps: tuple[tuple[str, ...], ...]
    columns: Mapping[str, set[str]]

    @property
    def version(self) -> int:
        """The version that the steps come to."""
        return len(self.steps)


class Unusable(Exception):
    """The database is broken, foreign or newer; `why` says which."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Gone(FileNotFoundError):
    """Another command has set the database aside since it was looked for."""


def create(path: Path, layout: Layout) -> None:
    """Make the database, unless another command just has."""
    with alone(path.parent):
        if not path.exists():
            _opened(path, layout, "mode=rwc").close()


@contextmanager
def connect(path: Path, layout: Layout, *, writing: bool) -> Generator[sqlite3.Connection]:
    """Open the database, up to date, and close it. Raise Gone, Unusable, or what SQLite says.

    No one may set it aside meanwhile: SQLite would go on in the old file with the new one's
    log. writing: where not, a database that cannot be written is read all the same.
    """
    with beside_others(path.parent):
        if not path.exists():
            raise Gone(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        try:
            connection = _opened(path, layout, "mode=rw")
        except sqlite3.OperationalError:
            log = path.with_name(f"{path.name}-wal")
            if writing or (log.exists() and log.stat().st_size):
                raise
            # In a folder that cannot be written there is no place for the log: as it lies.
            connection = _opened(path, layout, "mode=ro&immutable=1")
        with closing(connection):
            yield connection


def keep_aside(path: Path, layout: Layout) -> tuple[str, Path] | None:
    """Rename an unusable database and its log; return why and the new name.

    None where another command was quicker and the one there now can be used.
    """
    with alone(path.parent):
        why = _ailment(path, layout)
        if why is None:
            return None
        kept = set_aside(path, why)
        for ending in _BESIDE:
            # Its log goes with it, or SQLite would play it into the new database.
            with suppress(OSError):
                path.with_name(path.name + ending).rename(f"{kept}{ending}")
        return why, kept


def _ailment(path: Path, layout: Layout) -> str | None:
    try:
        if not path.exists():
            return None
        with closing(_opened(path, layout, "mode=rw")) as connection:
            whole = connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
    except Unusable as unusable:
        return unusable.why
    except sqlite3.DatabaseError as fault:
        if damaged(fault):
            return "broken"
        raise
    return None if whole else "broken"


def damaged(fault: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, not a lock, a full disk or a permission."""
    text = str(fault).lower()
    return not isinstance(fault, sqlite3.OperationalError) and (
        "malformed" in text or "not a database" in text or "integrity" in text
    )


def _opened(path: Path, layout: Layout, how: str) -> sqlite3.Connection:
    place = f"{path.absolute().as_uri()}?{how}"
    connection = sqlite3.connect(place, timeout=_PATIENCE, uri=True, isolation_level=None)
    try:
        _prepare(connection, layout)
    except sqlite3.DatabaseError as fault:
        connection.close()
        if damaged(fault):
            raise Unusable("broken") from fault
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, layout: Layout) -> None:
    """Check whose database it is, and bring it up to date where it is new or old."""
    if _version(connection, layout) < layout.version:
        connection.execute("PRAGMA journal_mode = WAL")
        # Two commands may find it old at once: one mends it, the other then finds it mended.
        connection.execute("BEGIN IMMEDIATE")
        try:
            for step in layout.steps[_version(connection, layout) :]:
                for statement in step:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {layout.application}")
            connection.execute(f"PRAGMA user_version = {layout.version}")
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
    for table, columns in layout.columns.items():
        found = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if not columns <= found:
            raise Unusable("broken")


def _version(connection: sqlite3.Connection, layout: Layout) -> int:
    """Return the version, 0 for a database that is nobody's yet."""
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == layout.application
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if ours and version > layout.version:
        raise Unusable("newer")
    if ours and version > 0:
        return version
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise Unusable("foreign")
    return 0
