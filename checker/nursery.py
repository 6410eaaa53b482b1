"""The nursery: imports torch once and forks judges and candidates from itself.

It holds torch and the code that runs a submission, and nothing worth stealing: the
reference is loaded only in the judges, after they are forked.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
import warnings
from dataclasses import replace
from functools import partial
from typing import Any

from . import fence, kin
from .limits import Limits

__all__ = ["main"]

_FDS = 4
# How long the wardens may take to end what they watch.
_PARTING = 5.0


def main(number: int) -> None:
    """Serve the command process on the socket with this file descriptor."""
    # Ctrl-C is the command process's to handle; the closing socket ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # torch warns of an absent NumPy, which nothing here needs.
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    # Handwritten code is judged as it is written; compiled, torch may fuse it by itself.
    os.environ["TORCHDYNAMO_DISABLE"] = "1"
    # The point of this process, so that nobody it forks need import them.
    import torch  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    from . import candidate, warden, wire  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    fence.warm_up()
    wire.warm_up()
    fence.adopt_orphans()
    # What is here stays, so that no fork need look through it, nor copy it for having looked.
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=number)
    _Nursery(control).serve()
    # Taking the interpreter and torch down in order would keep the command waiting for nothing.
    os._exit(0)


class _Nursery:
    """Forks on request. Each request is one line and the descriptors it hands over."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.parent = os.getppid()
        self.judges: set[int] = set()
        self.wardens: set[int] = set()
        self.torch_takes = kin.own_data()
        self.selector = selectors.DefaultSelector()
        self.selector.register(control, selectors.EVENT_READ)
        self.wake, self.alarm = socket.socketpair()
        self.alarm.setblocking(False)
        self.wake.setblocking(False)
        self.selector.register(self.wake, selectors.EVENT_READ)

    def serve(self) -> None:
        """Fork until the command process goes away, then end every child."""
        signal.set_wakeup_fd(self.alarm.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: None)
        while True:
            for key, _ in self.selector.select():
                source: Any = key.fileobj
                if source is self.wake:
                    self._drain()
                elif not self._request(source):
                    if source is self.control:
                        signal.set_wakeup_fd(-1)
                        self._end()
                        return
                    self.selector.unregister(source)
                    source.close()
            self._reap()

    def _request(self, source: socket.socket) -> bool:
        try:
            text, fds, _, _ = socket.recv_fds(source, 4096, _FDS)
        except OSError:
            return False
        if not text:
            return False
        if text.startswith(b"judge"):
            for fd in fds:
                self._fork_judge(fd)
        else:
            order = json.loads(text.partition(b" ")[2])
            self._fork_warden(fds, Limits(**order))
        for fd in fds:
            os.close(fd)
        return True

    def _fork_judge(self, fd: int) -> None:
        requests, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            job = os.dup(fd)
            keep = {job, theirs.fileno()}
            self._leave(keep)
            try:
                from .judge import main as judge_main

                judge_main(socket.socket(fileno=job), theirs)
            except KeyboardInterrupt:
                pass
            finally:
                sys.stderr.flush()
                os._exit(0)
        theirs.close()
        self.selector.register(requests, selectors.EVENT_READ)
        self.judges.add(pid)

    def _fork_warden(self, fds: list[int], limits: Limits) -> None:
        """Have a candidate run. fds: its line to the judge, its output, its aside; the warden's."""
        pid = os.fork()
        if pid == 0:
            try:
                channel, output, aside, control = fds
                self._leave(set(fds))
                from .warden import stand_over

                protected = {os.getppid(), os.getpid(), os.getpgrp(), self.parent, *self.judges}
                begin = partial(self._run_candidate, channel, output, aside, limits, protected)
                stand_over(socket.socket(fileno=control), [channel, output, aside], limits, begin)
            finally:
                os._exit(0)
        self.wardens.add(pid)

    def _run_candidate(
        self,
        channel: int,
        output: int,
        aside: int,
        limits: Limits,
        protected: set[int],
        folder: str | None,
    ) -> None:
        leave, status = os._exit, 70
        try:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(null)
            os.close(output)
            from .candidate import serve

            memory = limits.memory and limits.memory + self.torch_takes
            serve(channel, aside, folder, replace(limits, memory=memory), protected)
            status = 0
        except BaseException:  # noqa: BLE001 - what the submission made of us; its output tells
            traceback.print_exc()
        finally:
            leave(status)

    def _leave(self, keep: set[int]) -> None:
        """In a fork: forget the nursery's own descriptors and handlers."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        self.selector.close()
        top = max(keep) + 1
        os.closerange(max(top, 3), 4096)
        for fd in range(3, top):
            if fd not in keep:
                try:
                    os.close(fd)
                except OSError:
                    continue

    def _drain(self) -> None:
        try:
            while self.wake.recv(4096):
                pass
        except BlockingIOError:
            return

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.judges.discard(pid)
            self.wardens.discard(pid)
            if status:
                # A warden that was killed leaves us what it watched.
                for stray in set(kin.children(os.getpid())) - self.judges - self.wardens:
                    _kill(stray)

    def _end(self) -> None:
        """End the judges; a warden whose judge is gone ends what it watches."""
        for pid in self.judges:
            _kill(pid)
        end = time.monotonic() + _PARTING
        while (self.judges or self.wardens) and time.monotonic() < end:
            self._reap()
            time.sleep(0.001)
        kin.end_all(0, 1.0)


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
