"""The command's side of a zygote that stays: find it, greet it, leave it, ask after it, end it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import time
from pathlib import Path
from typing import Any

from . import surroundings

__all__ = [
    "KEEP", "connect", "greet", "leave", "minutes", "peer", "place", "standing", "stop",
]  # fmt: skip

KEEP = "ATTN_KATA_KEEP"
_MINUTES = 10.0
_LONGEST = 108
_SIZE = struct.Struct("<I")
# How long one that is there may take to answer a question.
_ANSWERS_WITHIN = 2.0


def minutes() -> float:
    """Return for how long a judge stays once nobody needs it; 0 for none that stays."""
    try:
        return max(0.0, float(os.environ.get(KEEP, _MINUTES)))
    except ValueError:
        return _MINUTES


def place() -> Path | None:
    """Return where the judge of this command's kind is found; None where none is to stay."""
    if not minutes() or not hasattr(socket, "SO_PEERCRED") or not surroundings.may_last():
        return None
    folder = surroundings.runtime_folder()
    path = folder / f"{surroundings.key()}.sock" if folder is not None else None
    # The system has no room for a longer name.
    return path if path is not None and len(os.fsencode(path)) < _LONGEST else None


def connect(path: Path) -> socket.socket | None:
    """Return a line to the one that is there; None where nobody is, or somebody else is."""
    line = socket.socket(socket.AF_UNIX)
    try:
        line.connect(str(path))
        if peer(line)[1] == os.geteuid():
            return line
    except OSError:
        pass
    line.close()
    return None


def peer(line: socket.socket) -> tuple[int, int]:
    """Return who is at the other end: the process and the user, as the system knows them."""
    held = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid, uid, _ = struct.unpack("3i", held)
    return pid, uid


def greet(line: socket.socket) -> None:
    """Tell it who is there, and what the submissions are to see."""
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _say(line, {"do": "serve", "minutes": minutes(), **surroundings.told()}, [here])
    finally:
        os.close(here)


def leave(line: socket.socket, seconds: float) -> None:
    """Hang up, and wait until what was started for us has ended."""
    with contextlib.suppress(OSError), line:
        line.shutdown(socket.SHUT_WR)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([line], [], [], left)[0] and not line.recv(4096):
                return


def standing() -> list[dict[str, Any]]:
    """Return what the judges that stay say of themselves: pid, python, idle, minutes, serving."""
    return [told for line in _all() if (told := _asked(line, "tell")) is not None]


def stop() -> int:
    """End the judges that stay, once they have done what they are doing; return how many."""
    return sum(_asked(line, "stop") is not None for line in _all())


def _all() -> list[socket.socket]:
    folder = surroundings.runtime_folder()
    files = sorted(folder.glob("*.sock")) if folder is not None else []
    return [line for file in files if (line := connect(file)) is not None]


def _asked(line: socket.socket, what: str) -> dict[str, Any] | None:
    with line:
        line.settimeout(_ANSWERS_WITHIN)
        try:
            _say(line, {"do": what}, [])
            size = _SIZE.unpack(_exactly(line, _SIZE.size))[0]
            return dict(json.loads(_exactly(line, size)))
        except (OSError, ValueError, struct.error):
            return None


def _say(line: socket.socket, message: dict[str, Any], fds: list[int]) -> None:
    text = json.dumps(message).encode("utf-8", "surrogateescape")
    socket.send_fds(line, [_SIZE.pack(len(text))], fds)
    line.sendall(text)


def _exactly(line: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        piece = line.recv(size - len(parts))
        if not piece:
            raise OSError("closed")
        parts += piece
    return bytes(parts)
