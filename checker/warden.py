"""The warden: one process between the nursery and one candidate, which leaves nothing behind.

It takes in what its candidate orphans, watches what all of it uses together, and at the
end kills the whole of it, wherever it has gone: other groups, sessions, double forks.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable

from . import fence, kin
from .limits import Limits
from .whereabouts import ASK

__all__ = ["stand_over"]

_TICK = 0.05
_PROCESSES = 64
# How long a candidate that has closed its line may take to end by itself.
_GRACE = 0.2


def stand_over(
    control: socket.socket, given: list[int], limits: Limits, begin: Callable[[str | None], None]
) -> None:
    """Fork a candidate, watch it until the judge has had enough, and end all of it.

    control: the line to the judge. given: the descriptors that are the candidate's alone.
    begin: what the fork does, with a folder of its own; it does not return.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    fence.adopt_orphans()
    folder = _folder()
    try:
        pid = os.fork()
        if pid == 0:
            control.close()
            begin(folder)
        for fd in given:
            os.close(fd)
        _Watch(control, pid, limits).stand()
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _folder() -> str | None:
    try:
        return tempfile.mkdtemp(prefix="attn-kata-")
    except OSError:
        return None


class _Watch:
    """One candidate's life. Says `born PID`, and once `gone CODE WHY`."""

    def __init__(self, control: socket.socket, pid: int, limits: Limits) -> None:
        self.control = control
        self.pid = pid
        self.limits = limits
        # What was there before it began is not its doing.
        self.before = kin.use_of(os.getpid())
        self.oom_kills = kin.oom_kills()

    def stand(self) -> None:
        """Watch, until the candidate ends, exceeds a limit or is not wanted any more."""
        self._say(f"born {self.pid}")
        code, why = None, ""
        while code is None and not why:
            asked = self._asked(_TICK)
            if asked is not None:
                why = "told"
                code = self._ended(_GRACE if asked == b"soft" else 0)
            else:
                code = self._ended(0)
                why = self._exceeded() if code is None else ""
        if why in {"memory", "processes"}:
            # It says where it stands before it goes.
            with contextlib.suppress(OSError):
                os.kill(self.pid, ASK)
            time.sleep(_TICK)
        if code is not None:
            why = self._cause(code)
        kin.end_all(self.pid)
        self._say(f"gone {-signal.SIGKILL if code is None else code} {why or 'itself'}")
        while self._asked(None):
            pass

    def _ended(self, seconds: float) -> int | None:
        """Return the candidate's exit code if it ends by itself in this time."""
        end = time.monotonic() + seconds
        while True:
            try:
                pid, status, used = os.wait4(self.pid, os.WNOHANG)
            except ChildProcessError:
                return -signal.SIGKILL
            if pid:
                self.processor = used.ru_utime + used.ru_stime
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= end:
                return None
            time.sleep(0.002)

    def _cause(self, code: int) -> str:
        """Say why a candidate ended that nobody here has killed."""
        hard = code == -signal.SIGKILL
        if code == -signal.SIGXCPU or (hard and self.processor >= self.limits.processor):
            return "processor"
        if hard and kin.oom_kills() > self.oom_kills:
            return "memory"
        return "itself"

    def _exceeded(self) -> str:
        """Name the limit that the candidate and its descendants exceed together."""
        below = kin.descendants(os.getpid())
        if len(below) > _PROCESSES:
            return "processes"
        if self.limits.memory:
            uses = [kin.use_of(pid) for pid in below]
            own = sum(max(0, use.own - self.before.own) for use in uses)
            shared = max((use.shared for use in uses), default=0)
            if own + max(0, shared - self.before.shared) > self.limits.memory:
                return "memory"
        return ""

    def _asked(self, seconds: float | None) -> bytes | None:
        """Return what the judge says, nothing where it went away, None while it is silent."""
        with contextlib.suppress(OSError):
            if not select.select([self.control], [], [], seconds)[0]:
                return None
            return self.control.recv(16).strip()
        return b""

    def _say(self, line: str) -> None:
        with contextlib.suppress(OSError):
            self.control.sendall(line.encode() + b"\n")
