"""The supervisor: forks a judge's candidates one by one, and leaves nothing of them behind.

It takes in what a candidate orphans, watches what all of it uses together, and at the end
kills the whole of it, wherever it has gone: other groups, sessions, double forks.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
import traceback
from dataclasses import replace

from . import fence, process_tree, wire
from .limits import CLOSED, Limits
from .scratch import Scratch
from .whereabouts import ASK

__all__ = ["serve"]

_GIVEN = 4
_TICK = 0.05
_PROCESSES = 64
# How long a candidate that has closed its line may take to end by itself.
_GRACE = 0.2


def serve(orders: socket.socket, protected: set[int]) -> None:
    """Stand over one candidate after the other, until the judge goes away.

    orders: the line on which the judge hands over what a candidate gets: its line to the
    judge, its output, its aside, and the supervisor's own. protected: who gets no signal of it.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    fence.adopt_orphans()
    torch_takes = process_tree.own_data()
    while True:
        try:
            text, fds, _, _ = socket.recv_fds(orders, 4096, _GIVEN)
        except OSError:
            return
        if len(fds) != _GIVEN:
            return
        limits = Limits(**json.loads(text))
        scratch = Scratch()
        try:
            pid = os.fork()
            if pid == 0:
                orders.close()
                memory = limits.memory and limits.memory + torch_takes
                _become(fds, scratch.path, replace(limits, memory=memory), protected)
            for fd in fds[:-1]:
                os.close(fd)
            with socket.socket(fileno=fds[-1]) as control:
                _Watch(control, pid, limits, scratch).stand()
        finally:
            scratch.remove()


def _become(fds: list[int], folder: str | None, limits: Limits, protected: set[int]) -> None:
    """Be the candidate, for the rest of this process's life."""
    leave, status = os._exit, 70
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        channel, output, aside, control = fds
        null = os.open(os.devnull, os.O_RDONLY)
        for old, new in ((null, 0), (output, 1), (output, 2)):
            os.dup2(old, new)
        for fd in (null, output, control):
            os.close(fd)
        from ..candidate.worker import serve as serve_judge

        serve_judge(channel, aside, folder, limits, protected)
        status = 0
    except wire.Closed:
        status = CLOSED
    except BaseException:  # noqa: BLE001 - what the submission made of us; its output tells
        traceback.print_exc()
    finally:
        leave(status)


class _Watch:
    """One candidate's life. Says `born PID SUPERVISOR`, and once `gone CODE WHY`."""

    def __init__(self, control: socket.socket, pid: int, limits: Limits, scratch: Scratch) -> None:
        self.control = control
        self.pid = pid
        self.limits = limits
        self.scratch = scratch
        # What was there before it began is not its doing.
        self.before = process_tree.use_of(os.getpid())
        self.oom_kills = process_tree.oom_kills()

    def stand(self) -> None:
        """Watch, until the candidate ends, exceeds a limit or is not wanted any more."""
        self._say(f"born {self.pid} {os.getpid()}")
        code, why = None, ""
        while code is None and not why:
            asked = self._asked(_TICK)
            if asked is not None:
                why = "told"
                code = self._ended(_GRACE if asked == b"soft" else 0)
            else:
                code = self._ended(0)
                why = self._exceeded() if code is None else ""
        if why in {"memory", "processes", "disk"}:
            # It says where it stands before it goes.
            with contextlib.suppress(OSError):
                os.kill(self.pid, ASK)
            time.sleep(_TICK)
        if code is not None:
            why = self._cause(code)
        process_tree.end_all(self.pid)
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
        if code == -signal.SIGXCPU or (hard and self.processor >= self.limits.seconds):
            return "processor"
        if hard and process_tree.oom_kills() > self.oom_kills:
            return "memory"
        return "itself"

    def _exceeded(self) -> str:
        """Name the limit that the candidate and its descendants exceed together."""
        below = process_tree.descendants(os.getpid())
        if len(below) > _PROCESSES:
            return "processes"
        if self.limits.memory:
            uses = [process_tree.use_of(pid) for pid in below]
            own = sum(max(0, use.own - self.before.own) for use in uses)
            shared = max((use.shared for use in uses), default=0)
            if own + max(0, shared - self.before.shared) > self.limits.memory:
                return "memory"
        return "disk" if self.scratch.full() else ""

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
