"""What is on record in a database of ours, and what is said where it cannot be used.

What cannot be stored or read is a trouble to be said, and the command goes on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeVar

from . import database
from .errors import Trouble
from .home import home, reason

__all__ = ["Records"]

_TRIES = 4

T = TypeVar("T")


class Records:
    """Records in one database. troubles: what could not be stored or read, to be said.

    name: the database's file. called: what the troubles call the records, as their keys
    begin: with -broken, -foreign or -newer, where the file was kept aside and values have
    `kept`; with -closed or -unread, where it could not be written or read and values have
    `file` and `reason`.
    """

    name: ClassVar[str]
    layout: ClassVar[database.Layout]
    called: ClassVar[str]

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home()
        self.troubles: list[Trouble] = []

    @property
    def path(self) -> Path:
        """The database's file."""
        return self.folder / self.name

    def work(
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
                    database.create(self.path, self.layout)
                with database.connect(self.path, self.layout, writing=make) as connection:
                    return work(connection)
            except database.Unusable:
                mended = self._keep_aside(writing=make)
            except (OSError, sqlite3.Error) as fault:
                if left and isinstance(fault, database.Gone):
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
            kept = database.keep_aside(self.path, self.layout)
        except (OSError, sqlite3.Error) as fault:
            self._closed(fault, writing=writing)
            return False
        if kept is not None:
            why, place = kept
            self.troubles.append(Trouble(f"{self.called}-{why}", {"kept": str(place)}))
        return True

    def _closed(self, fault: Exception, *, writing: bool) -> None:
        why = "closed" if writing else "unread"
        found = Trouble(f"{self.called}-{why}", {"file": str(self.path), "reason": reason(fault)})
        said = {trouble.key for trouble in self.troubles}
        # That nothing can be stored there says that it cannot be read either.
        if found in self.troubles or (not writing and f"{self.called}-closed" in said):
            return
        if writing:
            unread = f"{self.called}-unread"
            self.troubles[:] = [one for one in self.troubles if one.key != unread]
        self.troubles.append(found)
