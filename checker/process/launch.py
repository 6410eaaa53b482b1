"""Start the zygote, as early as can be: importing torch is most of what a check costs.

Or find the one that an earlier command has left behind. Imports as little as possible, since it
runs before anything else does.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from . import lasting

if TYPE_CHECKING:
    from .jobs import Job

__all__ = ["HERE", "START", "Started", "begin", "early", "take"]

# What the zygote runs; it is given its end of the control line, and where it is to stay.
START = (
    "import sys\n"
    "if sys.path and sys.path[0] == '': del sys.path[0]\n"
    "from attn_kata.checker.process.zygote import main\n"
    "main(int(sys.argv[1]), sys.argv[2])\n"
)
# Asks it whether it is there, and is its answer.
HERE = b"here\n"


class Started:
    """A zygote to ask for judges: one that was found, or one that was started.

    pid: of the one that was started, 0 for one that was found, which is nobody's child here.
    early: the line to a judge that gets ready while the command does.
    """

    def __init__(self) -> None:
        place = lasting.place()
        found = lasting.connect(place) if place is not None else None
        self.pid = 0
        self.control = found or self._start(place)
        self.stays = place is not None
        if self.stays:
            lasting.greet(self.control)
        self.early = self._hired()
        # What the early judge was handed before anybody took it.
        self.ahead: Job | None = None

    def _start(self, place: Path | None) -> socket.socket:
        control, theirs = socket.socketpair()
        theirs.set_inheritable(True)
        command = [sys.executable, "-c", START, str(theirs.fileno()), str(place or "")]
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            # What it might say is not for the program that reads the reports.
            (os.POSIX_SPAWN_DUP2, 2, 1),
        ]
        self.pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=actions)
        theirs.close()
        return control

    def hire(self) -> socket.socket | None:
        """Have a judge started and return the line to it; None where nobody is there to ask."""
        early, self.early = self.early, None
        return early or self._hired()

    def _hired(self) -> socket.socket | None:
        ours, judge = socket.socketpair()
        with judge:
            try:
                socket.send_fds(self.control, [b"judge\n"], [judge.fileno()])
            except OSError:
                ours.close()
                return None
        return ours

    def close(self, seconds: float = 8.0) -> None:
        """Hang up, and wait until everything that was started for us has ended."""
        if self.early is not None:
            self.early.close()
        if self.stays:
            lasting.leave(self.control, seconds)
            return
        self.control.close()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._ended(os.WNOHANG):
                return
            time.sleep(0.005)
        os.kill(self.pid, 9)
        self._ended(0)

    def ended(self, seconds: float = 0.0) -> bool:
        """Whether it is gone, or going: its sockets close a while before it can be waited for.

        seconds: how long it is asked, once what it has forked is gone: one that is killed goes
        when a busy machine lets it, and one that lives answers.
        """
        if not self.stays and self._ended(os.WNOHANG):
            return True
        try:
            if seconds:
                self.control.send(HERE)
                select.select([self.control], [], [], seconds)
            while self.control.recv(64, socket.MSG_DONTWAIT):
                pass
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def _ended(self, options: int) -> bool:
        try:
            return os.waitpid(self.pid, options)[0] != 0
        except ChildProcessError:
            return True


_begun: list[Started] = []


def begin() -> None:
    """Start a zygote that the next `take` will find."""
    _begun.append(Started())


def early() -> Started | None:
    """Return the zygote that the next `take` will find, if there is one."""
    return _begun[-1] if _begun else None


def take() -> Started:
    """Return the zygote that was begun, or a new one."""
    return _begun.pop() if _begun else Started()
