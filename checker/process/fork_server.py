"""Forks judges that are ready: a process of a zygote that stays, which has loaded the reference.

Candidates are forked by supervisors, which descend from the zygote itself: nothing of what is
expected is in their memory.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable, Generator
from typing import Any

from . import fence, surroundings

__all__ = ["ForkServer", "load_judge", "main"]

_SIZE = struct.Struct("<I")
_PID = struct.Struct("<i")
_GIVEN = 3
# A judge is forked in some milliseconds, once the reference is loaded.
_BORN_WITHIN = 60.0
# After how long without a request it reads what every kata asks, in seconds.
_QUIET = 1.0


class ForkServer:
    """The zygote's line to it."""

    def __init__(self, line: socket.socket, pid: int) -> None:
        self.line = line
        self.pid = pid
        line.settimeout(_BORN_WITHIN)

    def judge(self, given: dict[str, Any], fds: list[int]) -> int:
        """Have a judge forked and return its process. fds: its job, its supervisor, the folder."""
        text = json.dumps(given).encode()
        socket.send_fds(self.line, [_SIZE.pack(len(text))], fds)
        self.line.sendall(text)
        return int(_PID.unpack(_exactly(self.line, _PID.size))[0])


@contextlib.contextmanager
def _to_stay() -> Generator[None]:
    """Load something that nobody is to look for rubbish in: it would be copied in each fork."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def load_judge() -> Callable[[socket.socket, socket.socket], None]:
    """Load the reference and what judges by it, to stay, and return the judge."""
    with _to_stay():
        from ..judge.main import main as judge_main
    # What it expects is not for a submission to look up.
    fence.hide()
    return judge_main


def _read_katas() -> None:
    """Read what each kata asks and its model answer, so that no judge has to."""
    with _to_stay():
        from ..judge.truth import read_all

        read_all()


def main(line: socket.socket) -> None:
    """Fork a judge on each request, until the zygote goes away."""
    judge_main = load_judge()
    # Nobody waits for a judge: its line says all there is to say.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    forked = read = False
    while True:
        if forked and not read and not select.select([line], [], [], _QUIET)[0]:
            _read_katas()
            read = True
        head, fds, _, _ = socket.recv_fds(line, _SIZE.size, _GIVEN)
        if not head or len(fds) != _GIVEN:
            return
        given = json.loads(_exactly(line, _SIZE.unpack(head)[0]))
        job, requests, folder = fds
        pid = os.fork()
        if pid == 0:
            try:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                line.close()
                surroundings.enter(given, folder)
                os.close(folder)
                judge_main(socket.socket(fileno=job), socket.socket(fileno=requests))
            finally:
                sys.stderr.flush()
                os._exit(0)
        for fd in fds:
            os.close(fd)
        forked = True
        with contextlib.suppress(OSError):
            line.sendall(_PID.pack(pid))


def _exactly(line: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        piece = line.recv(size - len(parts))
        if not piece:
            raise OSError("closed")
        parts += piece
    return bytes(parts)
