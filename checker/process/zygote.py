"""The zygote: imports torch once and forks judges and candidates from itself.

It holds torch and the code that runs a submission, and nothing worth stealing: the
reference is loaded only in the judges, after they are forked.

It serves the command that started it. One that stays serves those that find it too, and goes
when nobody has needed it for as long as the last of them said.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import selectors
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from . import fence, fork_server, process_tree, surroundings
from .fork_server import ForkServer, load_judge
from .guests import Door, Guest
from .launch import HERE

__all__ = ["main"]

# How long the supervisors may take to end what they watch.
_PARTING = 5.0
# How often one that stays looks whether its socket is still there, in seconds.
_LOOK = 5.0


def main(number: int, place: str = "") -> None:
    """Serve the command process on the socket with this file descriptor. place: where to stay."""
    # Ctrl-C is the command process's to handle; the closing socket ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    door = None
    if place:
        _detach(number)
        # Before torch, so that the next command finds it and waits for this very import.
        door = Door.opened(Path(place))
    # torch warns of an absent NumPy, which nothing here needs.
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    # Handwritten code is judged as it is written; compiled, torch may fuse it by itself, and
    # what TorchScript runs has neither lines nor a pretended device.
    os.environ["TORCHDYNAMO_DISABLE"] = "1"
    os.environ["PYTORCH_JIT"] = "0"
    # What is loaded stays: no use in looking for rubbish in it, here or in a fork, which would
    # copy it for having looked.
    gc.disable()
    # The point of this process, so that nobody it forks need import them.
    import torch  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    from . import wire

    fence.warm_up()
    wire.warm_up()
    fence.adopt_orphans()
    gc.freeze()
    zygote = _Zygote(Guest(socket.socket(fileno=number)), door, greeted=bool(place))
    zygote.begin()
    from ..candidate import worker  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above
    from . import requests, supervisor  # noqa: F401 # pyright: ignore[reportUnusedImport] - as above

    requests.warm_up()
    gc.freeze()
    gc.enable()
    zygote.serve()
    # Taking the interpreter and torch down in order would keep the command waiting for nothing.
    os._exit(0)


def _detach(number: int) -> None:
    """Hold on to nothing of the command's: terminal, pipes, folder, whatever else it had open."""
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    _close_all({number})
    os.chdir("/")


def _close_all(keep: set[int]) -> None:
    """Close every descriptor above the standard ones but a few."""
    top = max(keep) + 1
    os.closerange(max(top, 3), 1 << 16)
    for fd in range(3, top):
        if fd not in keep:
            with contextlib.suppress(OSError):
                os.close(fd)


class _Zygote:
    """Forks judges on request, each with a supervisor. A request is one line and a descriptor.

    greeted: whether guests say first what their submissions are to see, as they do to one that
    stays; the command's own zygote stands where it stands.
    """

    def __init__(self, first: Guest, door: Door | None, *, greeted: bool) -> None:
        self.door = door
        self.greeted = greeted
        self.guests = {first}
        # The judges that live, as far as they are ours, and the living supervisors' guests.
        self.judges: dict[int, int] = {}
        self.supervisors: dict[int, Guest] = {}
        self.fork_server: ForkServer | None = None
        self.early: tuple[Guest, int, socket.socket] | None = None
        self.minutes = 0.0
        self.idle_since = time.monotonic()
        self.selector = selectors.DefaultSelector()
        self.selector.register(first.line, selectors.EVENT_READ, first)
        if door is not None:
            self.selector.register(door.listener, selectors.EVENT_READ)
        self.wake, self.alarm = socket.socketpair()
        self.alarm.setblocking(False)
        self.wake.setblocking(False)
        self.selector.register(self.wake, selectors.EVENT_READ)

    def begin(self) -> None:
        """Fork what judges as soon as torch is there: it loads its own beside the rest of ours."""
        if self.greeted:
            self._start_fork_server()
            return
        (guest,) = self.guests
        if select.select([guest.line], [], [], 0)[0]:
            _, fds, _, _ = socket.recv_fds(guest.line, 64, 1)
            for fd in fds:
                self.early = guest, *self._fork_judge(guest, fd)
                os.close(fd)

    def serve(self) -> None:
        """Fork until nobody needs it any more, then end every child."""
        signal.set_wakeup_fd(self.alarm.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: None)
        if self.early is not None:
            self._watch_over(*self.early)
        while self.guests or self._waits():
            for key, _ in self.selector.select(self._patience()):
                if key.fileobj is self.wake:
                    self._drain()
                elif isinstance(key.data, Guest):
                    self._hear(key.data)
                else:
                    self._let_in()
            self._reap()
            self._see_off()
        signal.set_wakeup_fd(-1)
        self._end()

    def _patience(self) -> float | None:
        if any(guest.leaving is not None for guest in self.guests):
            return 0.05
        return _LOOK if self.door is not None else None

    def _waits(self) -> bool:
        """Whether to wait for somebody though nobody is there."""
        if self.door is None:
            return False
        over = time.monotonic() - self.idle_since > self.minutes * 60
        if not over and self.door.stands():
            return True
        # Whoever came before it was shut is let in; nobody comes after.
        self.door.shut()
        self._let_in()
        self.selector.unregister(self.door.listener)
        self.door.listener.close()
        self.door = None
        return bool(self.guests)

    def _let_in(self) -> None:
        for guest in self.door.guests() if self.door is not None else ():
            self.guests.add(guest)
            self.selector.register(guest.line, selectors.EVENT_READ, guest)

    def _hear(self, guest: Guest) -> None:
        """Do what a guest asks; where it has gone, what is its own has to end."""
        try:
            if self.greeted and guest.given is None:
                self._greet(guest, guest.greeting())
                return
            text, fds, _, _ = socket.recv_fds(guest.line, 64, 1)
        except (OSError, ValueError, KeyError):
            text, fds = b"", []
        if HERE in text:
            with contextlib.suppress(OSError):
                guest.line.send(HERE)
        if not text:
            self.selector.unregister(guest.line)
            guest.leaving = time.monotonic()
        for fd in fds:
            self._watch_over(guest, *self._fork_judge(guest, fd))
            os.close(fd)

    def _greet(self, guest: Guest, message: dict[str, object]) -> None:
        if message["do"] == "serve":
            guest.given = message
            self.minutes = float(str(message["minutes"]))
            return
        door = self.door
        others = len(self.guests) - 1
        idle = time.monotonic() - self.idle_since if not others else 0.0
        guest.answer({
            "pid": os.getpid(), "python": sys.executable, "serving": others, "idle": idle,
            "minutes": self.minutes, "since": door.since if door is not None else 0.0,
        })  # fmt: skip
        if message["do"] == "stop":
            self.minutes = -1.0
            if door is not None:
                door.shut()
        raise ValueError("nothing more is asked")

    def _see_off(self) -> None:
        """Let those go of whom nothing is left, and end what takes too long to end by itself."""
        for guest in [one for one in self.guests if one.leaving is not None]:
            assert guest.leaving is not None
            if guest.supervisors and time.monotonic() - guest.leaving < _PARTING:
                for supervisor in guest.supervisors:
                    _kill(self.judges.get(supervisor, 0))
                continue
            for supervisor in guest.supervisors:
                _kill(supervisor)
            guest.close()
            self.guests.discard(guest)
            if guest.given is not None or not self.greeted:
                self.idle_since = time.monotonic()

    def _start_fork_server(self) -> ForkServer:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                self._leave({theirs.fileno()})
                fork_server.main(theirs)
            finally:
                os._exit(0)
        theirs.close()
        self.fork_server = ForkServer(ours, pid)
        return self.fork_server

    def _fork_judge(self, guest: Guest, job: int) -> tuple[int, socket.socket]:
        """Fork a judge; return its process, and the line on which it asks its supervisor."""
        orders, requests = socket.socketpair()
        with requests:
            return self._judge(guest, job, requests), orders

    def _watch_over(self, guest: Guest, judge: int, orders: socket.socket) -> None:
        """Fork the supervisor of a judge."""
        supervisor = os.fork()
        if supervisor == 0:
            self._be(guest, {orders.fileno()}, lambda: _supervise(orders, {guest.pid, judge}))
        orders.close()
        guest.supervisors.add(supervisor)
        self.supervisors[supervisor] = guest
        if self.fork_server is None:
            self.judges[supervisor] = judge

    def _judge(self, guest: Guest, job: int, requests: socket.socket) -> int:
        if guest.given is not None and guest.folder is not None:
            fds = [job, requests.fileno(), guest.folder]
            held = self.fork_server or self._start_fork_server()
            try:
                return held.judge(guest.given, fds)
            except OSError:
                # It was ended by somebody; another one takes its place.
                return self._start_fork_server().judge(guest.given, fds)
        judge = os.fork()
        if judge == 0:
            line = socket.socket(fileno=job)
            self._be(guest, {job, requests.fileno()}, lambda: load_judge()(line, requests))
        return judge

    def _be(self, guest: Guest, keep: set[int], act: Callable[[], None]) -> None:
        """In a fork: be what it was forked for, for the rest of its life."""
        try:
            if guest.given is not None:
                surroundings.enter(guest.given, guest.folder)
            self._leave(keep)
            act()
        finally:
            sys.stderr.flush()
            os._exit(0)

    def _leave(self, keep: set[int]) -> None:
        """In a fork: forget the zygote's own descriptors and handlers."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        self.selector.close()
        _close_all(keep)

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
            if self.fork_server is not None and pid == self.fork_server.pid:
                self.fork_server = None
            for supervisor in [one for one, judge in self.judges.items() if judge == pid]:
                del self.judges[supervisor]
            if pid in self.supervisors:
                self._bury(pid)

    def _bury(self, supervisor: int) -> None:
        """End what a supervisor leaves: its judge, and what it watched where it was killed."""
        self.supervisors.pop(supervisor).supervisors.discard(supervisor)
        _kill(self.judges.get(supervisor, 0))
        ours = {*self.judges.values(), *self.supervisors}
        ours |= {self.fork_server.pid} if self.fork_server is not None else set()
        for stray in set(process_tree.children(os.getpid())) - ours:
            _kill(stray)

    def _end(self) -> None:
        """End the judges; a supervisor whose judge is gone ends what it watches."""
        for judge in self.judges.values():
            _kill(judge)
        if self.fork_server is not None:
            self.fork_server.line.close()
        end = time.monotonic() + _PARTING
        while time.monotonic() < end and process_tree.children(os.getpid()):
            self._reap()
            time.sleep(0.001)
        process_tree.end_all(0, 1.0)


def _supervise(orders: socket.socket, protected: set[int]) -> None:
    from .supervisor import serve

    serve(orders, protected | {os.getppid(), os.getpid(), os.getpgrp()})


def _kill(pid: int) -> None:
    if pid:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
