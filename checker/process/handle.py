"""The judge's handle on one candidate process: ask, with a deadline, and never wait longer."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import re
import select
import signal
import socket
import termios
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import asdict
from typing import TypeVar

from . import claims, whereabouts, wire
from .limits import CLOSED, Limits
from .meter import Meter
from .requests import Request
from .whereabouts import ASK, Place

__all__ = ["Candidate", "Ended", "Foul"]

_Done = TypeVar("_Done")
_Answer = TypeVar("_Answer")

_OUTPUT_LIMIT = 64 << 10
_ASIDE_LIMIT, _PIECES = 1 << 20, 32
# How long a candidate may take to say where it stands, and its supervisor to end all of it.
_ANSWERS_WITHIN, _ENDS_WITHIN = 0.5, 3.0
# How long a supervisor may take to fork.
_BORN_WITHIN = 0.5
# How often it is asked while it is found in our code, which calls its file in a loop.
_SAMPLES = 8
# How long what a candidate printed may take to be read, where it prints without end.
_HEARD_WITHIN = 0.5
_FOUL = re.compile(rb"^forbidden (\S+) (\d+)$", re.MULTILINE)


class Ended(Exception):
    """The candidate gave no answer.

    kind: timeout, memory or crash, as in the report. why: processor, idle (it slept or waited),
    processes, disk, closed (it closed its line), garbled (it answered what is no answer) or
    device-memory (the accelerator's own), else nothing. code: how it ended, None where it was
    ended. place: where it stood.
    """

    def __init__(
        self, kind: str, why: str = "", code: int | None = None, place: Place | None = None
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.why = why
        self.code = code
        self.place = place or Place()


class Foul(Exception):
    """The candidate reached for what does the whole job. called: what it is known as."""

    def __init__(self, called: str, line: int | None) -> None:
        super().__init__(called)
        self.called = called
        self.line = line


class _Line:
    """A candidate's line as the judge uses it: waiting for as long as its meter says."""

    def __init__(self, channel: socket.socket, meter: Meter) -> None:
        self.channel = channel
        self.meter = meter

    def settimeout(self, seconds: float | None) -> None:
        """Stand where a socket's method stands; the meter tells when it is too late."""

    def recv(self, size: int) -> bytes:
        """Read some bytes, none at the end. Raise TooLate."""
        return self._patiently(lambda: self.channel.recv(size))

    def sendall(self, data: bytes) -> None:
        """Write all of it. Raise TooLate."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._patiently(lambda held=rest: self.channel.send(held)) :]

    def _patiently(self, act: Callable[[], _Done]) -> _Done:
        while True:
            self.channel.settimeout(self.meter.left())
            began, in_vain = time.monotonic(), False
            try:
                return act()
            except TimeoutError:
                in_vain = True
            finally:
                self.meter.note(time.monotonic() - began, in_vain=in_vain)


class Candidate:
    """A forked candidate process, which settles in until it is told which file it is for.

    requests: the judge's line to its supervisor, which forks.
    """

    def __init__(self, requests: socket.socket, limits: Limits) -> None:
        self.requests = requests
        self.limits = limits
        self.path = ""
        self.pid: int | None = None
        self.supervisor: int | None = None
        # Nothing is asked of it before it serves.
        self.meter = Meter(limits, None)
        self.channel, theirs = socket.socketpair()
        self.control, supervisor = socket.socketpair()
        reading, writing = os.pipe()
        self.aside, aside = os.pipe()
        os.set_blocking(self.aside, False)
        self.said = bytearray()
        order = asdict(limits)
        given = [theirs.fileno(), writing, aside, supervisor.fileno()]
        socket.send_fds(requests, [json.dumps(order).encode()], given)
        for held in (theirs, supervisor):
            held.close()
        for fd in (writing, aside):
            os.close(fd)
        self.output = bytearray()
        self.dropped = 0
        # Where the answer goes that is on its way.
        self.underway: list[wire.Packed] | None = None
        self.reading = reading
        self.hearing = threading.Lock()
        threading.Thread(target=self._drain, daemon=True).start()

    def serve(self, path: str) -> None:
        """Be for this file, which its frames are known by; from here on its time runs."""
        self.path = path
        self.allow(self.limits)

    def allow(self, limits: Limits) -> None:
        """Let it use so much time, whatever it has used so far."""
        if self.supervisor is None:
            self._news("born", _BORN_WITHIN)
        self.meter = Meter(limits, self.supervisor)

    def ask(self, request: Request[_Answer]) -> _Answer:
        """Send one request and return the answer. Raise Ended where none comes."""
        (answer,) = self.ask_each([request])
        return answer

    def ask_each(self, requests: Iterable[Request[_Answer]]) -> Iterator[_Answer]:
        """Send requests and yield their answers. Raise Ended as above.

        Each is made while the one before it is answered; whoever makes it may ask as well.
        """
        before = None
        for request in requests:
            sent = request, self._sent(wire.pack(request))
            if before is not None:
                yield self._understood(*before)
            before = sent
        if before is not None:
            yield self._understood(*before)

    def _sent(self, packed: wire.Packed) -> list[wire.Packed]:
        """Send a request; return where its answer is put once it is read."""
        # Two that both write wait for each other: the answer before it is read first.
        self._read()
        with self._watched():
            wire.send_packed(_Line(self.channel, self.meter), packed)
        self.underway = []
        return self.underway

    def _read(self) -> None:
        """Read the answer that is on its way, if there is one."""
        if self.underway is not None:
            with self._watched():
                self.underway.append(wire.receive_packed(_Line(self.channel, self.meter)))
            self.underway = None

    def _understood(self, request: Request[_Answer], heard: list[wire.Packed]) -> _Answer:
        if not heard:
            self._read()
        with self._watched():
            answer = claims.understood(request, wire.unpack(*heard[0]))
        self._listen(0)
        self._call_fouls()
        fault = claims.out_of_memory(answer)
        if fault is not None:
            # A fault of the file's own run says no phase.
            place = Place(phase=fault.phase or "import", line=fault.line)
            raise Ended("memory", claims.whose_memory(fault), place=place)
        return answer

    @contextlib.contextmanager
    def _watched(self) -> Generator[None]:
        try:
            yield
        except wire.TooLate:
            place = self._ask_where()
            self._say("end")
            self._news("gone", _ENDS_WITHIN)
            self._call_fouls()
            raise Ended("timeout", self.meter.exceeded, place=place) from None
        except (wire.Closed, wire.Garbled) as fault:
            garbled = isinstance(fault, wire.Garbled)
            place = self._ask_where() if garbled else Place()
            self._say("end" if garbled else "soft")
            ended = self._ended(garbled=garbled, place=place)
            self._call_fouls()
            raise ended from None

    def _ended(self, *, garbled: bool, place: Place) -> Ended:
        """Say how the candidate ended, by what its supervisor tells."""
        words = self._news("gone", _ENDS_WITHIN)
        self._listen(0)
        if place == Place():
            place = whereabouts.read(self.said.decode("utf-8", "replace"), self.path)
        if words is None:
            return Ended("crash", place=place)
        code, why = int(words[1]), words[2]
        if why == "told" or code == CLOSED:
            return Ended("crash", "garbled" if garbled else "closed", place=place)
        if why == "memory":
            return Ended("memory", place=place)
        if why == "processor":
            return Ended("timeout", why, place=place)
        return Ended("crash", why if why in {"processes", "disk"} else "", code, place)

    def _ask_where(self) -> Place:
        """Find where the candidate stands: on a line of its file, if it is found on one."""
        if self.pid is None:
            self._news("born", _BORN_WITHIN)
        place, left = self._sampled(), _SAMPLES
        while place.phase is not None and place.line is None and left:
            place, left = self._sampled(), left - 1
        return place

    def _sampled(self) -> Place:
        """Have the candidate's frames written down, by a signal."""
        self._listen(0)
        self._call_fouls()
        self.said.clear()
        if self.pid is None:
            return Place()
        with contextlib.suppress(OSError):
            os.kill(self.pid, ASK)
            # One that was stopped cannot say it.
            os.kill(self.pid, signal.SIGCONT)
        # Pieces of what it says may be far apart on a busy machine.
        end = time.monotonic() + _ANSWERS_WITHIN
        place = Place()
        while time.monotonic() < end and place.phase is None:
            if not self._listen(max(0.0, end - time.monotonic())):
                break
            place = whereabouts.read(self.said.decode("utf-8", "replace"), self.path)
        return place

    def _listen(self, seconds: float) -> bool:
        """Read what the candidate wrote aside; return whether there was anything."""
        heard = False
        # It may write without end, so that not everything is waited for.
        for _ in range(_PIECES):
            if not select.select([self.aside], [], [], 0 if heard else seconds)[0]:
                break
            with contextlib.suppress(OSError):
                piece = os.read(self.aside, 1 << 16)
                if not piece:
                    return heard
                self.said += piece[: max(0, _ASIDE_LIMIT - len(self.said))]
            heard = True
        return heard

    def _call_fouls(self) -> None:
        found = _FOUL.search(self.said)
        if found:
            name, line = found[1].decode("ascii", "replace"), int(found[2])
            raise Foul(name, line or None)

    def close(self) -> str:
        """Have the process and all that it started ended; return what it printed."""
        for held in (self.channel, self.control):
            held.close()
        os.close(self.aside)
        end = time.monotonic() + _HEARD_WITHIN
        # All that it printed before its last answer is here; its end is not waited for.
        while self._unread() and time.monotonic() < end:
            time.sleep(0.0002)
        with self.hearing:
            text = bytes(self.output).decode("utf-8", "replace")
            return f"{text}\n[+ {self.dropped} bytes]" if self.dropped else text

    def _unread(self) -> int:
        """How many bytes of its output nobody has read yet."""
        count = array.array("i", [0])
        with self.hearing:
            if self.reading >= 0:
                fcntl.ioctl(self.reading, termios.FIONREAD, count)
        return count[0]

    def _drain(self) -> None:
        """Read its output until the last that holds it is gone."""
        ready = select.poll()
        ready.register(self.reading, select.POLLIN)
        piece = b"more"
        while piece:
            ready.poll()
            with self.hearing:
                piece = os.read(self.reading, 1 << 16)
                kept = piece[: max(0, _OUTPUT_LIMIT - len(self.output))]
                self.output += kept
                self.dropped += len(piece) - len(kept)
        with self.hearing:
            os.close(self.reading)
            self.reading = -1

    def _say(self, word: str) -> None:
        with contextlib.suppress(OSError):
            self.control.sendall(word.encode() + b"\n")

    def _news(self, kind: str, seconds: float) -> list[str] | None:
        """Read the supervisor's lines until the one that is waited for; None if none comes."""
        end = time.monotonic() + seconds
        line = bytearray()
        with contextlib.suppress(OSError, ValueError):
            while True:
                self.control.settimeout(max(0.001, end - time.monotonic()))
                byte = self.control.recv(1)
                if not byte:
                    return None
                if byte != b"\n":
                    line += byte
                    continue
                words = line.decode().split()
                line.clear()
                if words[0] == "born":
                    self.pid, self.supervisor = int(words[1]), int(words[2])
                if words[0] == kind:
                    return words
        return None
