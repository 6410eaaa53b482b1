"""What a submission is timed against: the model answer, and torch's fused kernel.

They run in a process of their own: the submission's has no model answer in its memory, and
torch's own attention taken away. It is forked from the judge's, but where a GPU is timed:
autograd counts the GPUs at a judge's first gradient, and what has spoken to CUDA cannot be
forked for it any more.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from ...kata.catalogue import Kata, find
from ..candidate.stopwatch import Stopwatch, keep_memory
from ..process import answers, fence, wire
from ..process.forms import decode, one_of
from ..process.requests import Request
from .fused import fused_source
from .truth import Answer, executed
from .truth import answers as answers_of

__all__ = ["Lap", "Prepare", "Yardstick", "main", "others"]

_Answer = TypeVar("_Answer")

# What a fresh Python runs; it is given its end of the line, a kata's id and a device.
_START = (
    "import sys\n"
    "if sys.path and sys.path[0] == '': del sys.path[0]\n"
    "from attn_kata.checker.judge.yardstick import main\n"
    "main(*sys.argv[1:])\n"
)
# How long it may take to import torch, in seconds.
_IMPORTED_WITHIN = 90.0


def others(
    kata: Kata, settings: dict[str, Any], calls: Sequence[dict[str, dict[str, Any]]], device: str
) -> dict[str, Callable[[], Any]]:
    """Return the model answer's calls and the fused kernel's, on the same weights and arguments.

    settings: what an object is made with. calls: the functions to call, or the class, one after
    another, each with its arguments; what the last returns is returned. Without a fused kernel,
    the model answer's alone.
    """
    fused = fused_source(kata)
    sides = {
        "reference": answers_of(kata),
        "fused": None if fused is None else executed(kata, fused),
    }
    weights: dict[str, Tensor] = {}
    found: dict[str, Callable[[], Any]] = {}
    for side, answer in sides.items():
        if answer is not None:
            given = [
                partial(_made(answer[name], settings, weights, device), **_moved(arguments, device))
                for call in calls for name, arguments in call.items()
            ]  # fmt: skip
            found[side] = partial(_all, given)
    return found


def _made(
    answer: Answer, settings: dict[str, Any], weights: dict[str, Tensor], device: str
) -> Answer:
    """Return a function as it is; of a class an object that has the weights, drawn where none are.

    weights: filled in by the first object that is made.
    """
    if not isinstance(answer, type):
        return answer
    module: nn.Module = answer(**settings).float().eval()
    if not weights:
        torch.manual_seed(0)
        with torch.no_grad():
            for weight in module.parameters():
                weight.normal_(std=weight.shape[-1] ** -0.5)
        weights.update(module.state_dict())
    module.load_state_dict(weights)
    return module.to(device)


def _moved(arguments: dict[str, Any], device: str) -> dict[str, Any]:
    return {n: v.to(device) if isinstance(v, Tensor) else v for n, v in arguments.items()}


def _all(calls: Sequence[Callable[[], Any]]) -> Any:
    # What each returns goes before the next one is called.
    for call in calls[:-1]:
        call()
    return calls[-1]()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The sides were made and called once each."""

    sides: dict[str, answers.Lap]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare(Request[Prepared]):
    """Make all sides, and call each once. settings, calls: as in `others`."""

    answer = Prepared

    settings: dict[str, Any]
    calls: Sequence[dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap(Request[answers.Lap]):
    """Time one side's calls once more."""

    answer = answers.Lap

    side: str


class Yardstick:
    """The process that times them: ask it, one request at a time, once it is ready."""

    def __init__(self, kata: Kata, device: str) -> None:
        self.device = device
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.pid = _started(theirs, kata, device) if device != "cpu" else os.fork()
            if self.pid == 0:
                try:
                    _serve(theirs, kata, device)
                finally:
                    os._exit(0)

    def wait(self) -> None:
        """Wait until it has started. Raise Closed or TooLate where it does not."""
        wire.receive(self.channel, time.monotonic() + _IMPORTED_WITHIN)

    def ask(self, request: Request[_Answer], deadline: float) -> _Answer:
        """Send one request and return its answer. Raise Closed or TooLate where none comes."""
        wire.send(self.channel, request, deadline)
        answer: _Answer = decode(request.answer, wire.receive(self.channel, deadline))
        return answer

    def close(self) -> None:
        """End the process."""
        self.channel.close()
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def _started(line: socket.socket, kata: Kata, device: str) -> int:
    """Start a Python that has none of this process's memory, and return its number."""
    line.set_inheritable(True)
    given = [sys.executable, "-c", _START, str(line.fileno()), kata.id, device]
    return os.posix_spawn(sys.executable, given, os.environ)


def main(number: str, kata: str, device: str) -> None:
    """Be the process that times, in a Python of its own. number: the line's descriptor."""
    _serve(socket.socket(fileno=int(number)), find(kata), device)


def _serve(line: socket.socket, kata: Kata, device: str) -> None:
    """Time what is asked for, until the judge goes away."""
    fence.die_with(signal.SIGKILL)
    kept = line.fileno()
    # The judge's own lines end with the judge; and torch's profiler writes to standard error.
    os.closerange(3, kept)
    os.closerange(kept + 1, 4096)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, sys.stdout.fileno())
    os.dup2(null, sys.stderr.fileno())
    keep_memory()
    watches: dict[str, Stopwatch] = {}
    wire.send(line, {})
    while True:
        try:
            request = one_of((Prepare, Lap), wire.receive(line))
        except wire.Closed:
            return
        if isinstance(request, Prepare):
            calls = others(kata, request.settings, request.calls, device)
            watches = {side: Stopwatch(call, device) for side, call in calls.items()}
            sides = {side: _prepared(watch) for side, watch in watches.items()}
            wire.send(line, Prepared(sides=sides))
        else:
            wire.send(line, answers.Lap(seconds=watches[request.side].lap()))


def _prepared(watch: Stopwatch) -> answers.Lap:
    return answers.Lap(seconds=watch.settle(), bytes=watch.peak()[0])
