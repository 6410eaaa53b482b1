"""The command process's side: start a judge, hand it files, take reports.

Standard library only, so that a command is on the screen while torch is still loading.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import selectors
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ..kata.packs import taken
from .process import wire
from .process.jobs import Job, Options, TimeJob
from .process.launch import early, take
from .process.limits import share_of_memory
from .report.message import Said, say

# What is received is put together once it is on its way: a judge that stays begins the sooner.
if TYPE_CHECKING:
    from .report.report import Report
    from .report.timings import Timings

__all__ = ["Bench", "Died", "Options", "Underway", "begin_ahead", "lost"]

_ENDED = say("judge-lost")
# How long what forks the judges may take to say that it is there, on a busy machine: seconds.
_ANSWERS_WITHIN = 5.0


class Died(Exception):
    """A judge ended before its report came; another has been started in its place."""

    def __init__(self, reason: Said) -> None:
        super().__init__(reason)
        self.reason = reason


def lost(kata: str, file: str, reason: Said = _ENDED) -> Report:
    """Return the report on a file that the judge did not come back from."""
    from .report.report import Fault, Report

    # No judge starts without torch, whatever else it may end of.
    there = importlib.util.find_spec("torch") is not None
    message = say("judge-fault", reason=reason) if there else say("torch-missing")
    return Report(kata=kata, file=file, verdict="error", error=Fault(kind="crash", message=message))


def begin_ahead(kata: str, file: Path, options: Options) -> None:
    """Have the judge that gets ready judge a file: the next bench finds that begun, or drops it."""
    started = early()
    if started is None or started.early is None:
        return
    job = _job(kata, file, options.seeded(), 1)
    with contextlib.suppress(wire.Closed):
        wire.send(started.early, job)
        started.ahead = job


def _job(kata: str, file: Path, options: Options, judges: int) -> Job:
    memory = options.memory or share_of_memory(judges)
    return Job(
        kata=kata,
        file=str(file),
        options=replace(options, memory=memory),
        packs=[str(folder) for folder in taken()],
    )


def _report(judge: socket.socket) -> Report:
    """Receive a report. Raise Closed or Garbled where none comes."""
    from .report.report import Report

    return Report.from_dict(wire.receive(judge))


class Bench:
    """A row of warm judges. Use it as a context, and start it before slow imports.

    judges: how many work side by side; 0 for one a processor. renewals: how often what forks
    them was found gone and started again.
    """

    def __init__(self, judges: int = 1) -> None:
        self.count = judges or max(1, min(8, os.cpu_count() or 1))
        self.started = take()
        self.judges: list[socket.socket] = []
        self.lent = 0
        self.renewals = 0
        self.refill()

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

    def begin(self, kata: str, file: Path, options: Options) -> Underway:
        """Begin to judge a file and return at once. Take a judge from the row for it.

        With two judges the next check can begin while the one before it is being dropped.
        """
        self.refill()
        seeded, at_it = self._seeded(kata, file, options)
        judge = self.judges.pop(0)
        self.lent += 1
        with contextlib.suppress(wire.Closed):
            if not at_it:
                wire.send(judge, _job(kata, file, seeded, self.count))
        return Underway(self, judge)

    def refill(self) -> None:
        """Seat a judge wherever one is missing; where what forks them is gone, begin anew."""
        if self.started.ended():
            self._renew()
        while len(self.judges) < self.count - self.lent:
            judge = self.started.hire()
            if judge is None:
                self._renew()
            else:
                self.judges.append(judge)

    def _renew(self) -> None:
        for judge in self.judges:
            judge.close()
        self.judges.clear()
        self.started.close()
        self.started = take()
        self.renewals += 1

    def judge(self, kata: str, files: Sequence[Path], options: Options) -> Iterator[Report]:
        """Begin to judge files at once.

        Yield a report a file, in order, each as soon as it and those before it are ready.
        """
        if not files:
            return iter(())
        seeded, at_it = self._seeded(kata, files[0], options)
        jobs = [_job(kata, file, seeded, self.count) for file in files]
        waiting = list(enumerate(jobs))
        busy: dict[int, int] = {}
        if at_it:
            busy[0] = waiting.pop(0)[0]
        selector = selectors.DefaultSelector()
        self._begin(selector, waiting, busy)
        return self._reports(selector, jobs, waiting, busy)

    def _reports(
        self,
        selector: selectors.BaseSelector,
        jobs: Sequence[Job],
        waiting: list[tuple[int, Job]],
        busy: dict[int, int],
    ) -> Iterator[Report]:
        done: dict[int, Report] = {}
        again: set[int] = set()
        turn = 0
        with selector:
            while turn < len(jobs):
                for key, _ in selector.select():
                    number = key.data
                    place = busy.pop(number, None)
                    if place is None:
                        # One that had nothing to do went away; the others go on.
                        selector.unregister(key.fileobj)
                        continue
                    judge = self.judges[number]
                    report = self._receive(number)
                    crash = report is None or (report.error and report.error.kind == "crash")
                    if crash and place not in again and self.started.ended(_ANSWERS_WITHIN):
                        # All of them are gone with what forked them: no file's fault.
                        begun = sorted({place, *busy.values()})
                        again.update(begun)
                        waiting[:0] = [(each, jobs[each]) for each in begun]
                        busy.clear()
                        for registered in list(selector.get_map().values()):
                            selector.unregister(registered.fileobj)
                        judge.close()
                        self.refill()
                        self._begin(selector, waiting, busy)
                        break
                    done[place] = report or lost(jobs[place].kata, jobs[place].file)
                    if self.judges[number] is not judge:
                        selector.unregister(judge)
                        judge.close()
                        selector.register(self.judges[number], selectors.EVENT_READ, number)
                    self._feed(number, waiting, busy)
                while turn in done:
                    yield done.pop(turn)
                    turn += 1

    def timings(self, lengths: Sequence[int] = ()) -> Timings:
        """Time the file that the only judge has just passed, beside what it is held against.

        For a row of one judge: others at work would slow some laps and not others. lengths: the
        usual ones where none are named.
        """
        from .report.timings import LENGTHS, Timings

        with contextlib.suppress(wire.Closed, wire.Garbled):
            wire.send(self.judges[0], TimeJob(lengths=lengths or LENGTHS))
            return Timings.from_dict(wire.receive(self.judges[0]))
        self.judges.pop(0).close()
        self.refill()
        return Timings(stopped="lost")

    def _begin(
        self, selector: selectors.BaseSelector, waiting: list[tuple[int, Job]], busy: dict[int, int]
    ) -> None:
        for number, judge in enumerate(self.judges):
            selector.register(judge, selectors.EVENT_READ, number)
            if number not in busy:
                self._feed(number, waiting, busy)

    def _feed(self, number: int, waiting: list[tuple[int, Job]], busy: dict[int, int]) -> None:
        if waiting:
            place, job = waiting.pop(0)
            busy[number] = place
            with contextlib.suppress(wire.Closed):
                wire.send(self.judges[number], job)

    def _receive(self, number: int) -> Report | None:
        """Read a judge's report; None where the judge is gone, and another is hired."""
        with contextlib.suppress(wire.Closed, wire.Garbled):
            return _report(self.judges[number])
        fresh = self.started.hire()
        if fresh is not None:
            # It died of this file; those after it are another judge's.
            self.judges[number] = fresh
        return None

    def _seeded(self, kata: str, file: Path, options: Options) -> tuple[Options, bool]:
        """Give options a seed; say whether the first judge is at the file already, by that seed.

        One that was begun with something else is dropped.
        """
        ahead, self.started.ahead = self.started.ahead, None
        if ahead is not None:
            same = options if options.seed is not None else replace(options, seed=ahead.seed)
            if _job(kata, file, same, self.count) == ahead:
                return same, True
            self.judges.pop(0).close()
            self.refill()
        return options.seeded(), False


class Underway:
    """A check that has begun: ready when its descriptor can be read."""

    def __init__(self, bench: Bench, judge: socket.socket) -> None:
        self.bench = bench
        self.judge = judge

    def fileno(self) -> int:
        """Return the descriptor on which the report will come."""
        return self.judge.fileno()

    def report(self) -> Report:
        """Return the report, waiting for it if need be. Raise Died where none will come."""
        try:
            report = _report(self.judge)
        except (wire.Closed, wire.Garbled) as fault:
            self.drop()
            raise Died(str(fault)) from fault
        if report.error is not None and self.bench.started.ended():
            # The judge lives and could not start a candidate.
            self.drop()
            raise Died(report.error.message)
        # To the front: the next check is quicker on a judge that has done one.
        self.bench.lent -= 1
        self.bench.judges.insert(0, self.judge)
        return report

    def drop(self) -> None:
        """Let the check go: its judge ends at once, and another is started in its place."""
        self.judge.close()
        self.bench.lent -= 1
        self.bench.refill()
