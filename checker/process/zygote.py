"""The zygote: imports torch once and forks judges and candidates from itself.

It holds torch and the code that runs a submission, and nothing worth stealing: the
reference is loaded only in the judges, after they are forked.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import socket
import sys
import time
import warnings

from . import fence, process_tree

__all__ = ["main"]

# How long the supervisors may take to end what they watch.
_PARTING = 5.0


def main(number: int) -> None:
    """Serve the command process on the socket with this file descriptor."""
    # Ctrl-C is the command process's to handle; the closing socket ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # torch warns of an absent NumPy, which nothing here needs.
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    # Handwritten code is judged as it is written; compiled, torch may fuse it by itself, and
    # what TorchScript runs has neither lines nor a pretended device.
    os.environ["TORCHDYNAMO_DISABLE"] = "1"
    os.environ["PYTORCH_JIT"] = "0"
    # The point of this process, so that nobody it forks need import them.
    import torch  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    from ..candidate import worker  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above
    from . import supervisor, wire  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    fence.warm_up()
    wire.warm_up()
    fence.adopt_orphans()
    # What is here stays, so that no fork need look through it, nor copy it for having looked.
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=number)
    _Zygote(control).serve()
    # Taking the interpreter and torch down in order would keep the command waiting for nothing.
    os._exit(0)


class _Zygote:
    """Forks judges on request, each with a supervisor. A request is one line and a descriptor."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.parent = os.getppid()
        # The judges that live, and each living supervisor with its judge.
        self.judges: set[int] = set()
        self.supervisors: dict[int, int] = {}
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
                if key.fileobj is self.wake:
                    self._drain()
                elif not self._request():
                    signal.set_wakeup_fd(-1)
                    self._end()
                    return
            self._reap()

    def _request(self) -> bool:
        try:
            text, fds, _, _ = socket.recv_fds(self.control, 64, 1)
        except OSError:
            return False
        if not text:
            return False
        for fd in fds:
            self._fork_pair(fd)
            os.close(fd)
        return True

    def _fork_pair(self, job: int) -> None:
        """Fork a judge and its supervisor, with a line from one to the other."""
        orders, requests = socket.socketpair()
        judge = os.fork()
        if judge == 0:
            self._leave({job, requests.fileno()})
            try:
                from ..judge.main import main as judge_main

                # What it expects is not for a submission to look up.
                fence.hide()
                judge_main(socket.socket(fileno=job), requests)
            finally:
                sys.stderr.flush()
                os._exit(0)
        supervisor = os.fork()
        if supervisor == 0:
            try:
                self._leave({orders.fileno()})
                from .supervisor import serve

                serve(orders, {self.parent, os.getppid(), judge, os.getpid(), os.getpgrp()})
            finally:
                os._exit(0)
        orders.close()
        requests.close()
        self.judges.add(judge)
        self.supervisors[supervisor] = judge

    def _leave(self, keep: set[int]) -> None:
        """In a fork: forget the zygote's own descriptors and handlers."""
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
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.judges.discard(pid)
            if pid in self.supervisors:
                self._bury(pid)

    def _bury(self, supervisor: int) -> None:
        """End what a supervisor leaves: its judge, and what it watched where it was killed."""
        judge = self.supervisors.pop(supervisor)
        if judge in self.judges:
            _kill(judge)
        for stray in (
            set(process_tree.children(os.getpid())) - self.judges - self.supervisors.keys()
        ):
            _kill(stray)

    def _end(self) -> None:
        """End the judges; a supervisor whose judge is gone ends what it watches."""
        for judge in self.judges:
            _kill(judge)
        end = time.monotonic() + _PARTING
        while time.monotonic() < end and process_tree.children(os.getpid()):
            self._reap()
            time.sleep(0.001)
        process_tree.end_all(0, 1.0)


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
