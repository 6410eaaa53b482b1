"""Time a submission that has passed beside the model answer and torch's fused kernel.

The three take turns, a lap each, so that a busy machine slows all of them alike. The
submission's figures are its own process's claims: no verdict depends on them.
"""

from __future__ import annotations

import math
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from ..candidate.accelerator import hoped
from ..process import answers, wire
from ..process.answers import Raised
from ..process.handle import Candidate, Ended, Foul
from ..process.jobs import Job
from ..process.limits import Limits
from ..process.requests import Lap, Load, Prepare
from ..report.message import say
from ..report.timings import Row, Timings, row
from . import yardstick
from .on_device import Session
from .subject import Subject
from .yardstick import Yardstick

__all__ = ["timed"]

# Seconds for all lengths together, and how much longer an answer that was begun may take.
_SECONDS, _PATIENCE = 8.0, 4.0
# Rounds of a length: as many as its share of the seconds allows, within bounds.
_SHARE, _LEAST, _MOST = 1.5, 3, 9
# Attention's time and memory grow with the square of the length, which doubles.
_GROWTH = 4
# Calls of a length before its first round: to warm up, and to listen to the memory.
_BEFORE = 4
_BYTES = 1 << 30
# How often a call may take and give back memory for that to be listened to.
_EVENTS = 50_000


class _Raised(Exception):
    """The submission raised. fault: what its process says of it."""

    def __init__(self, fault: Raised) -> None:
        super().__init__(fault.message)
        self.fault = fault


def timed(
    subject: Subject,
    load: Load,
    requests: socket.socket,
    job: Job,
    device: dict[str, Any],
    lengths: Sequence[int],
) -> Timings:
    """Time a submission at growing lengths, as many of them as there is time and memory for.

    load: has its process run the file. job: seed and memory (bytes) are read. device: the
    report's, which says whether the submission ran on a GPU, and on which.
    """
    on_cuda = device["cuda"] == "ran"
    place = (hoped(job.options.device) if on_cuda else None) or "cpu"
    found = replace(
        subject.told,
        device="cuda" if on_cuda else "cpu",
        name=device["name"] if on_cuda else None,
        rows=[],
    )
    # Forked first, while this process has few threads.
    yardstick = Yardstick(subject.kata, place)
    limits = Limits(
        seconds=_SECONDS + _PATIENCE, memory=job.options.memory,
        accelerator=place if on_cuda else "", programs=on_cuda and subject.kata.kernels,
    )  # fmt: skip
    candidate = _serving(requests, limits, load)
    try:
        race = _Race(subject, load, candidate, yardstick, found, job.seed)
        race.run(lengths, job.options.memory)
    finally:
        candidate.close()
        yardstick.close()
    return found


def _serving(requests: socket.socket, limits: Limits, load: Load) -> Candidate:
    """Return a process for the submission, which has hold of the GPU where one is to be timed."""
    if not limits.accelerator:
        candidate = Candidate(requests, limits)
        candidate.serve(load.path)
        return candidate
    session = Session(requests, limits, load)
    session.start(limits.accelerator)
    return session.candidate


class _Race:
    """One submission's laps, length after length."""

    def __init__(
        self,
        subject: Subject,
        load: Load,
        candidate: Candidate,
        yardstick: Yardstick,
        found: Timings,
        seed: int,
    ) -> None:
        self.subject = subject
        self.load = load
        self.candidate = candidate
        self.yardstick = yardstick
        self.found = found
        self.draw = torch.Generator().manual_seed(seed)
        self.begun = self.deadline = 0.0
        self.took = 0.0
        self.events = 0

    def run(self, lengths: Sequence[int], memory: int) -> None:
        """Time one length after the other, and say why there are no more."""
        found = self.found
        try:
            self._load()
            for found.at in lengths:
                found.stopped = self._beyond(memory)
                if found.stopped:
                    return
                found.rows.append(self._row(found.at))
            found.at = None
        except _Raised as raised:
            fault = raised.fault
            reason = fault.message.split("\n")[0]
            found.stopped, found.line = "raised", fault.line
            found.message = say("bench-raised", kind=fault.type, reason=reason)
        except Ended as ended:
            found.stopped, found.line = "ended", ended.place.line
            why = "garbled" if ended.why == "garbled" else ended.kind
            found.message = say(f"bench-{why}")
        except Foul as foul:
            found.stopped, found.line = "forbidden", foul.line
            found.message = say("bench-forbidden", name=foul.called)
        except wire.TooLate:
            found.stopped = "time"
        except Exception:
            # Our own fault: the verdict has been given, and stands.
            if os.environ.get("ATTN_KATA_DEBUG"):
                raise
            found.stopped = "lost"

    def _load(self) -> None:
        self.yardstick.wait()
        self.begun = time.monotonic()
        self.deadline = self.begun + _SECONDS + _PATIENCE
        answer = self.candidate.ask(self.load)
        if answer.fault is not None and self.load.cells is None:
            raise _Raised(answer.fault)

    def _beyond(self, memory: int) -> str | None:
        """Say what the next length would take too much of, judging by the last one."""
        if not self.found.rows:
            return None
        last = self.found.rows[-1]
        seconds = _GROWTH * self.took * (_LEAST + _BEFORE) / (last.rounds + _BEFORE)
        if time.monotonic() - self.begun + seconds > _SECONDS:
            return "time"
        sides = last.sides.values()
        allowed = min(_BYTES, memory // 2) if memory else _BYTES
        return "memory" if any(_GROWTH * (lap.bytes or 0) > allowed for lap in sides) else None

    def _row(self, length: int) -> Row:
        begun = time.monotonic()
        taken = self._prepare(length)
        seconds: dict[str, list[float]] = {side: [] for side in taken}
        for number in range(_MOST):
            if number >= _LEAST and time.monotonic() - begun > _SHARE:
                break
            for side, laps in seconds.items():
                laps.append(self._lap(side))
        self.took = time.monotonic() - begun
        return row(length, seconds, taken)

    def _prepare(self, length: int) -> dict[str, int | None]:
        """Have all sides made and called at a length, and return the bytes that a call takes."""
        posed = self.subject.posed(length, self.draw)
        device = self.yardstick.device
        listened = _GROWTH * self.events <= _EVENTS
        mine = self._ask(Prepare(calls=posed.mine, device=device, memory=listened))
        if listened:
            self.events = mine.events
        request = yardstick.Prepare(settings=posed.settings, calls=posed.calls)
        theirs = self.yardstick.ask(request, self.deadline).sides
        return {"yours": mine.bytes, **{side: one.bytes for side, one in theirs.items()}}

    def _lap(self, side: str) -> float:
        if side == "yours":
            return self._ask(Lap()).seconds
        return self.yardstick.ask(yardstick.Lap(side=side), self.deadline).seconds

    def _ask(self, request: Prepare | Lap) -> answers.Lap:
        begun = time.monotonic()
        answer = self.candidate.ask(request)
        if answer.fault is not None:
            raise _Raised(answer.fault)
        seconds = answer.seconds
        # What it says is not believed where it cannot be.
        most = (time.monotonic() - begun) * (os.cpu_count() or 1)
        if not (math.isfinite(seconds) and 0 < seconds <= most):
            raise Ended("crash", "garbled")
        return answer
