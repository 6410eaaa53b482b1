"""The command process's side: start a judge, hand it files, take reports.

Standard library only, so that a command is on the screen while torch is still loading.
"""

from __future__ import annotations

import contextlib
import os
import random
import selectors
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from . import wire
from .launch import take
from .limits import share_of_memory
from .messages import say
from .report import Fault, Report

__all__ = ["Bench", "Options", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to judge. memory is in bytes beside torch's own, 0 for a share of the machine's."""

    class_name: str | None = None
    mask: str = "keep"
    seed: int | None = None
    language: str = "en"
    timeout: float = 20.0
    memory: int = 0


class Bench:
    """A row of warm judges. Use it as a context, and start it before slow imports.

    judges: how many work side by side; 0 for one a processor.
    """

    def __init__(self, judges: int = 1) -> None:
        self.count = judges or max(1, min(8, os.cpu_count() or 1))
        self.started = take()
        self.control = self.started.control
        self.judges = [self._hire() for _ in range(self.count)]

    def __enter__(self) -> Bench:  # noqa: PYI034 - typing.Self is Python 3.11's
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the judges and everything they started."""
        for judge in self.judges:
            judge.close()
        self.started.close()

    def judge(self, kata: str, files: Sequence[Path], options: Options) -> Iterator[Report]:
        """Yield a report a file, in order, each as soon as it and those before it are ready."""
        seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**4)
        jobs = [self._job(kata, file, options, seed) for file in files]
        waiting = list(enumerate(jobs))
        busy: dict[int, int] = {}
        done: dict[int, Report] = {}
        turn = 0
        with selectors.DefaultSelector() as selector:
            for number, judge in enumerate(self.judges):
                selector.register(judge, selectors.EVENT_READ, number)
                self._feed(number, waiting, busy)
            while turn < len(jobs):
                for key, _ in selector.select():
                    number = key.data
                    place = busy.pop(number, None)
                    if place is None:
                        # One that had nothing to do went away; the others go on.
                        selector.unregister(key.fileobj)
                        continue
                    report = self._receive(number)
                    if report is None:
                        report = self._lost(jobs[place], options)
                        selector.unregister(key.fileobj)
                        self.judges[number].close()
                        self.judges[number] = self._hire()
                        selector.register(self.judges[number], selectors.EVENT_READ, number)
                    done[place] = report
                    self._feed(number, waiting, busy)
                while turn in done:
                    yield done.pop(turn)
                    turn += 1

    def _hire(self) -> socket.socket:
        """Have a judge forked; return the line to it, which is closed where that fails."""
        ours, judge = socket.socketpair()
        with contextlib.suppress(OSError):
            socket.send_fds(self.control, [b"judge\n"], [judge.fileno()])
        judge.close()
        return ours

    def _feed(
        self, number: int, waiting: list[tuple[int, dict[str, object]]], busy: dict[int, int]
    ) -> None:
        if waiting:
            place, job = waiting.pop(0)
            busy[number] = place
            with contextlib.suppress(wire.Closed):
                wire.send(self.judges[number], job)

    def _receive(self, number: int) -> Report | None:
        """Read a judge's report; None where the judge is gone."""
        with contextlib.suppress(wire.Closed, wire.Garbled):
            return Report.from_dict(wire.receive(self.judges[number]))
        return None

    def _lost(self, job: dict[str, object], options: Options) -> Report:
        reason = say("judge-lost", options.language)
        message = say("judge-fault", options.language, reason=reason)
        return Report(
            kata=str(job["kata"]),
            file=str(job["file"]),
            verdict="error",
            error=Fault(kind="crash", message=message),
        )

    def _job(self, kata: str, file: Path, options: Options, seed: int) -> dict[str, object]:
        return {
            "kata": kata,
            "file": str(file),
            "class": options.class_name,
            "mask": options.mask,
            "seed": seed,
            "language": options.language,
            "timeout": options.timeout,
            "memory": options.memory or share_of_memory(self.count),
        }


def check(kata: str, file: str | Path, **options: object) -> Report:
    """Judge one file and return its report. Options are those of `Options`."""
    with Bench() as bench:
        chosen = Options(**options)  # type: ignore[arg-type]
        return next(bench.judge(kata, [Path(file)], chosen))
