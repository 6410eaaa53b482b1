"""The nursery: imports torch once and forks judges and candidates from itself.

It holds torch and the code that runs a submission, and nothing worth stealing: the
reference is loaded only in the judges, after they are forked.
"""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import socket
import sys
import warnings
from typing import Any

__all__ = ["main"]

_FDS = 3


def main(number: int) -> None:
    """Serve the command process on the socket with this file descriptor."""
    # Ctrl-C is the command process's to handle; the closing socket ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # torch warns of an absent NumPy, which nothing here needs.
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    # The point of this process, so that nobody it forks need import them.
    import torch  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    from . import candidate  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    control = socket.socket(fileno=number)
    _Nursery(control).serve()
    # Taking the interpreter and torch down in order would keep the command waiting for nothing.
    os._exit(0)


class _Nursery:
    """Forks on request. Each request is one line and the descriptors it hands over."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.requests: dict[socket.socket, bool] = {control: True}
        self.children: dict[int, socket.socket] = {}
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
            text, fds, _, _ = socket.recv_fds(source, 64, _FDS)
        except OSError:
            return False
        if not text:
            return False
        if text.startswith(b"judge"):
            for fd in fds:
                self._fork_judge(fd)
        else:
            self._fork_candidate(source, fds, int(text.split()[1]))
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
        self.children[pid] = self.control

    def _fork_candidate(self, source: socket.socket, fds: list[int], memory: int) -> None:
        pid = os.fork()
        if pid == 0:
            status = 70
            try:
                channel = os.dup(fds[0])
                null = os.open(os.devnull, os.O_RDONLY)
                os.dup2(null, 0)
                os.dup2(fds[1], 1)
                os.dup2(fds[1], 2)
                os.setpgid(0, 0)
                self._leave({channel})
                _limit(memory)
                _serve_candidate(socket.socket(fileno=channel))
                status = 0
            finally:
                os._exit(status)
        self.children[pid] = source
        source.sendall(b"born %d\n" % pid)

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
        while self.children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            owner = self.children.pop(pid, None)
            if owner is not None and owner is not self.control:
                try:
                    owner.sendall(b"gone %d %d\n" % (pid, os.waitstatus_to_exitcode(status)))
                except OSError:
                    continue

    def _end(self) -> None:
        for pid, owner in self.children.items():
            with contextlib.suppress(OSError):
                if owner is self.control:
                    os.kill(pid, signal.SIGKILL)
                else:
                    os.killpg(pid, signal.SIGKILL)


def _serve_candidate(channel: socket.socket) -> None:
    """Run the candidate's loop in a fork that has left the nursery."""
    from .candidate import serve

    serve(channel)


def _limit(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, hard), hard))
