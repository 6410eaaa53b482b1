"""Which file belongs to which kata, and which hints were seen: one small JSON file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import Trouble
from .home import alone, home, reason, set_aside, there, write_whole

__all__ = ["Workspace", "changed"]

_NAME = "workspace.json"


class Workspace:
    """What is remembered between commands. troubles: what could not be, to be said."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home()
        self.troubles: list[Trouble] = []
        self._files, self._hints = self._read()

    @property
    def path(self) -> Path:
        """The file that holds it."""
        return self.folder / _NAME

    def file(self, kata: str) -> Path | None:
        """Return the file last started or judged for a kata, if it is still there."""
        name = self._files.get(kata)
        return Path(name) if name and there(Path(name)) else None

    def files(self) -> list[tuple[str, Path]]:
        """Return the katas and files that are still there."""
        return [(kata, file) for kata in self._files if (file := self.file(kata))]

    def latest(self) -> tuple[str, Path] | None:
        """Return the kata and file started or changed last."""
        return max(self.files(), key=lambda pair: changed(pair[1]), default=None)

    def remember(self, kata: str, file: Path) -> None:
        """Note that a file is this kata's."""
        place = str(file.absolute())
        if self._files.get(kata) != place:
            self._change(lambda: self._files.update({kata: place}))

    def hints_seen(self, kata: str, step: str = "") -> int:
        """Return how many of a kata's hints were seen, in general or on a step that went wrong."""
        return self._hints.get(_hinted(kata, step), 0)

    def saw_hint(self, kata: str, number: int, step: str = "") -> None:
        """Note that a hint was seen."""
        if number > self.hints_seen(kata, step):
            self._change(lambda: self._hints.update({_hinted(kata, step): number}))

    def _read(self) -> tuple[dict[str, str], dict[str, int]]:
        try:
            return _understood(json.loads(self.path.read_text("utf-8")))
        except FileNotFoundError:
            pass
        except OSError as fault:
            values = {"file": str(self.path), "reason": reason(fault)}
            self.troubles.append(Trouble("store-unreadable", values))
        except (ValueError, RecursionError):
            self._keep_aside()
        return {}, {}

    def _keep_aside(self) -> None:
        try:
            kept = set_aside(self.path, "broken")
        except OSError as fault:
            values = {"file": str(self.path), "reason": reason(fault)}
            self.troubles.append(Trouble("store-unreadable", values))
        else:
            self.troubles.append(Trouble("store-broken", {"kept": str(kept)}))

    def _change(self, change: Callable[[], None]) -> None:
        """Change what is on the disk, which another command may have changed meanwhile."""
        try:
            with alone(self.folder):
                self._files, self._hints = self._read()
                change()
                self._write()
        except (OSError, UnicodeEncodeError) as fault:
            # Known to this command, at least.
            change()
            values = {"file": str(self.path), "reason": reason(fault)}
            self.troubles.append(Trouble("store-unwritable", values))

    def _write(self) -> None:
        text = json.dumps({"files": self._files, "hints": self._hints}, indent=1)
        write_whole(self.path, text.encode())


def _understood(data: Any) -> tuple[dict[str, str], dict[str, int]]:
    """Return files and hints; raise ValueError where the data is not ours."""
    if not isinstance(data, dict):
        raise ValueError("not a table")  # noqa: TRY004 - as json does
    files, hints = data.get("files", {}), data.get("hints", {})
    if not all(isinstance(row, dict) for row in (files, hints)):
        raise ValueError("not tables")
    if not all(isinstance(name, str) for name in files.values()):
        raise ValueError("a file is no name")
    if not all(type(count) is int for count in hints.values()):
        raise ValueError("a count is no number")
    return files, hints


def changed(file: Path) -> float:
    """Return when a file was changed last; 0 where that cannot be known."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _hinted(kata: str, step: str) -> str:
    return f"{kata}/{step}" if step else kata
