"""The commands that a zygote serves: whoever started it, and where it stays, whoever finds it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import struct
import time
from pathlib import Path
from typing import Any

from . import lasting, surroundings

__all__ = ["Door", "Guest"]

_SIZE = struct.Struct("<I")
_LARGEST = 8 << 20
# How long a command may take to say what it has begun to say.
_PATIENCE = 5.0


class Guest:
    """One command. given: what its submissions are to see, and folder, that one's descriptor.

    supervisors: those that stand over its candidates. leaving: since when it is gone.
    """

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.pid = lasting.peer(line)[0] if hasattr(socket, "SO_PEERCRED") else os.getppid()
        self.given: dict[str, Any] | None = None
        self.folder: int | None = None
        self.supervisors: set[int] = set()
        self.leaving: float | None = None
        line.settimeout(_PATIENCE)

    def greeting(self) -> dict[str, Any]:
        """Read what it says first. Raise OSError or ValueError where that is nothing of ours."""
        head, fds, _, _ = socket.recv_fds(self.line, _SIZE.size, 1)
        self.folder = fds[0] if fds else None
        if len(head) != _SIZE.size or _SIZE.unpack(head)[0] > _LARGEST:
            raise ValueError("no greeting")
        size = _SIZE.unpack(head)[0]
        text = bytearray()
        while len(text) < size:
            piece = self.line.recv(size - len(text))
            if not piece:
                raise OSError("closed")
            text += piece
        return dict(json.loads(text))

    def answer(self, message: dict[str, Any]) -> None:
        """Answer a question."""
        text = json.dumps(message).encode()
        with contextlib.suppress(OSError):
            self.line.sendall(_SIZE.pack(len(text)) + text)

    def close(self) -> None:
        """Let it go."""
        self.line.close()
        if self.folder is not None:
            os.close(self.folder)


class Door:
    """Where a zygote that stays is found: a socket that only this user may open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.since = time.time()
        self.listener = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)
        try:
            self.listener.bind(str(path))
        finally:
            os.umask(before)
        self.listener.listen(64)
        self.listener.setblocking(False)
        self.own = path.stat().st_ino

    @classmethod
    def opened(cls, path: Path) -> Door | None:
        """Open it; None where another zygote stays there already, or nothing can be made."""
        try:
            with (path.parent / "lock").open("ab") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                other = lasting.connect(path)
                if other is not None:
                    other.close()
                    return None
                path.unlink(missing_ok=True)
                return cls(path)
        except OSError:
            return None

    def guests(self) -> list[Guest]:
        """Let in those who stand there: this user's, and none that runs in a sandbox of its own."""
        found: list[Guest] = []
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return found
            pid, uid = lasting.peer(line)
            # A submission has given up new privileges, and could else ask for a judge itself.
            if uid == os.geteuid() and surroundings.may_last(pid):
                found.append(Guest(line))
            else:
                line.close()

    def stands(self) -> bool:
        """Whether it is still the one that is found there."""
        try:
            return self.path.stat().st_ino == self.own
        except OSError:
            return False

    def shut(self) -> None:
        """Take it away; who has come meanwhile is still to be let in."""
        if self.stands():
            with contextlib.suppress(OSError):
                self.path.unlink()
