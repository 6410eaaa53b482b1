"""The judge's handle on one candidate process: ask, with a deadline, and never wait longer."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Generator
from typing import Any

from . import wire

__all__ = ["Candidate", "Ended"]

_OUTPUT_LIMIT = 64 << 10


class Ended(Exception):
    """The candidate gave no answer. kind is timeout, memory or crash, as in the report."""

    def __init__(self, kind: str, code: int | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.code = code


class Candidate:
    """A forked candidate process.

    requests: the judge's line to the nursery, which forks and reports what ended.
    deadline: a time on the monotonic clock after which nothing is waited for.
    """

    def __init__(self, requests: socket.socket, deadline: float, memory: int) -> None:
        self.requests = requests
        self.deadline = deadline
        self.channel, theirs = socket.socketpair()
        reading, writing = os.pipe()
        socket.send_fds(requests, [b"candidate %d\n" % memory], [theirs.fileno(), writing])
        theirs.close()
        os.close(writing)
        self.pid = int(self._news("born")[1])
        self.output = bytearray()
        self.reader = threading.Thread(target=self._drain, args=(reading,), daemon=True)
        self.reader.start()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request and return the answer. Raise Ended where none comes."""
        self.post(request)
        return self.collect()

    def post(self, request: dict[str, Any]) -> None:
        """Send a request; its answer must be collected before the next is posted."""
        with self._watched():
            wire.send(self.channel, request, self.deadline)

    def collect(self) -> dict[str, Any]:
        """Return the answer to the request that was posted."""
        with self._watched():
            return wire.receive(self.channel, self.deadline)

    @contextlib.contextmanager
    def _watched(self) -> Generator[None]:
        try:
            yield
        except wire.TooLate:
            self.kill()
            raise Ended("timeout") from None
        except (wire.Closed, wire.Garbled):
            code = self._exit_code()
            self.kill()
            raise Ended("memory" if code == -signal.SIGKILL else "crash", code) from None

    def kill(self) -> None:
        """End the process and everything in its group."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> str:
        """End the process; return what it printed."""
        self.kill()
        self.channel.close()
        self.reader.join(0.5)
        return self.output.decode("utf-8", "replace")

    def _drain(self, reading: int) -> None:
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while piece := pipe.read(1 << 16):
                room = _OUTPUT_LIMIT - len(self.output)
                self.output += piece[: max(0, room)]

    def _exit_code(self) -> int | None:
        self.requests.settimeout(2)
        with contextlib.suppress(OSError, TimeoutError):
            return int(self._news("gone", self.pid)[2])
        return None

    def _news(self, kind: str, pid: int | None = None) -> list[str]:
        """Read the nursery's lines until the one that is waited for."""
        self.requests.settimeout(max(0.1, self.deadline - time.monotonic()))
        line = bytearray()
        while True:
            byte = self.requests.recv(1)
            if not byte:
                raise Ended("crash")
            if byte != b"\n":
                line += byte
                continue
            words = line.decode().split()
            line.clear()
            if words and words[0] == kind and (pid is None or int(words[1]) == pid):
                return words
