"""Notice when a file is saved, in whatever way an editor does it.

The folder is watched, not the file: editors write beside it and rename, and a file that
was removed comes back as another one. A folder that goes away is waited for.
"""

from __future__ import annotations

import ast
import json
import socket
import threading
import warnings
from contextlib import suppress
from pathlib import Path

__all__ = ["Saves", "whole"]

# Milliseconds: how long a burst of writes must have been over, and how often to look at the
# file where no message came, as on a network drive or after its folder went away.
_STEP = 4
_BURST = 200
_LOOK = 1000

_LARGEST = 1 << 20

Mark = tuple[int, int, int, int]


class Saves:
    """Watches a file from a thread. Can be read, as a descriptor, when there is news."""

    def __init__(self, file: Path) -> None:
        self.file = file.absolute()
        self.seen = _mark(self.file)
        self._news, self._bell = socket.socketpair()
        self._news.setblocking(False)
        self._bell.setblocking(False)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """Return the descriptor that can be read when something happened."""
        return self._news.fileno()

    def changed(self) -> bool:
        """Whether the file is another one than at the last call; `seen` is None while gone."""
        with suppress(BlockingIOError):
            while self._news.recv(4096):
                pass
        before, self.seen = self.seen, _mark(self.file)
        return self.seen != before

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join()
        self._news.close()
        self._bell.close()

    def _watch(self) -> None:
        from watchfiles import watch

        last = self.seen
        while not self._stop.is_set():
            last = self._look(last)
            folder = _mark(self.file.parent)
            if folder is None:
                self._stop.wait(_LOOK / 5000)
                continue
            # It may go away at any moment, also before it is watched.
            with suppress(OSError, RuntimeError):
                for _ in watch(
                    self.file.parent, watch_filter=None, recursive=False, step=_STEP,
                    debounce=_BURST, rust_timeout=_LOOK, yield_on_timeout=True,
                    stop_event=self._stop, raise_interrupt=False, ignore_permission_denied=True,
                ):  # fmt: skip
                    last = self._look(last)
                    now = _mark(self.file.parent)
                    if now is None or now[:2] != folder[:2]:
                        break
            self._stop.wait(_STEP / 1000)

    def _look(self, last: Mark | None) -> Mark | None:
        mark = _mark(self.file)
        if mark != last:
            with suppress(OSError):
                self._bell.send(b".")
        return mark


def whole(file: Path) -> bool:
    """Whether a file looks written to its end: a half-written one does not parse.

    Nor does one with a slip in it, which is why this is a reason to wait a moment, no more.
    """
    try:
        # A pipe can be read once only, and what is huge is not worth the wait.
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return file.exists()
        text = file.read_text("utf-8-sig")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            json.loads(text) if file.suffix == ".ipynb" else ast.parse(text)
    except (OSError, ValueError, SyntaxError):
        return False
    except (RecursionError, MemoryError):
        return True
    return bool(text.strip())


def _mark(path: Path) -> Mark | None:
    """What tells one state of a file from another; None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
