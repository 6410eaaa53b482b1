"""Start the zygote, as early as can be: importing torch is most of what a check costs.

Imports as little as possible, since it runs before anything else does.
"""

from __future__ import annotations

import os
import socket
import sys
import time

__all__ = ["START", "Started", "begin", "take"]

# What the zygote runs; it is given its end of the control line.
START = (
    "import sys\n"
    "if sys.path and sys.path[0] == '': del sys.path[0]\n"
    "from attn_kata.checker.process.zygote import main\n"
    "main(int(sys.argv[1]))\n"
)


class Started:
    """A zygote that was started. control: the line on which judges are asked for."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        theirs.set_inheritable(True)
        command = [sys.executable, "-c", START, str(theirs.fileno())]
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            # What it might say is not for the program that reads the reports.
            (os.POSIX_SPAWN_DUP2, 2, 1),
        ]
        self.pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=actions)
        theirs.close()

    def close(self, seconds: float = 8.0) -> None:
        """Hang up, and wait for the zygote to end everything it started."""
        self.control.close()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._ended(os.WNOHANG):
                return
            time.sleep(0.005)
        os.kill(self.pid, 9)
        self._ended(0)

    def ended(self) -> bool:
        """Whether it is gone, or going: its sockets close a while before it can be waited for."""
        if self._ended(os.WNOHANG):
            return True
        try:
            return self.control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _ended(self, options: int) -> bool:
        try:
            return os.waitpid(self.pid, options)[0] != 0
        except ChildProcessError:
            return True


_early: list[Started] = []


def begin() -> None:
    """Start a zygote that the next `take` will find."""
    _early.append(Started())


def take() -> Started:
    """Return the zygote that was begun, or a new one."""
    return _early.pop() if _early else Started()
