"""The judge process: one submission in, one report out.

It never imports, unpickles or runs anything of the candidate's; it draws the weights
and inputs, and compares what comes back with the reference.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from ...kata.catalogue import Kata, find
from ...kata.packs import take
from ..candidate.accelerator import hoped
from ..process import wire
from ..process.answers import Loaded
from ..process.handle import Candidate, Ended, Foul
from ..process.jobs import Job, TimeJob, job_of
from ..process.limits import Limits, share_of_memory
from ..process.prints import parted
from ..process.requests import Load
from ..report.message import say
from ..report.report import Fault, Report
from ..report.timings import Timings
from . import functions as direct
from .on_device import Again, DeviceRun, run_on_device
from .sheet import Sheet
from .source import Source, Unreadable, read
from .subject import Subject
from .timing import timed
from .unjudged import Unjudged, load_fault

__all__ = ["main"]

# How long a command may take to hand over another file, or to leave, in seconds.
_WAITS = 0.03


def main(jobs: socket.socket, requests: socket.socket) -> None:
    """Judge files until the command process goes away."""
    torch.set_num_threads(1)
    # What torch warns of here is an odd answer; the report says so.
    warnings.simplefilter("ignore")
    threading.Thread(target=_leave_when_dropped, args=(jobs,), daemon=True).start()
    limits = Limits(seconds=20.0, memory=share_of_memory(1))
    sitting = None
    while True:
        if sitting is not None:
            # Most commands have one file, and go: a process begun for the next would hold them up.
            select.select([jobs], [], [], _WAITS)
        # The next file's process settles in while there is nothing to judge.
        candidate = Candidate(requests, limits)
        try:
            job = job_of(wire.receive(jobs))
        except wire.Closed:
            return
        if isinstance(job, TimeJob):
            assert sitting is not None
            # A supervisor watches over one process at a time.
            candidate.close()
            wire.send(jobs, asdict(sitting.timings(job.lengths, requests)))
            continue
        started = time.monotonic()
        limits = Limits(seconds=job.options.timeout, memory=job.options.memory)
        if candidate.limits != limits:
            candidate.close()
            candidate = Candidate(requests, limits)
        sitting = _Sitting(job, candidate)
        report = sitting.report()
        report.elapsed_ms = round((time.monotonic() - started) * 1000)
        wire.send(jobs, report.to_dict())


def _leave_when_dropped(jobs: socket.socket) -> None:
    """End this process when nobody waits for the report; its supervisor ends the candidate."""
    line = select.poll()
    line.register(jobs, select.POLLHUP | getattr(select, "POLLRDHUP", 0))
    line.poll()
    os._exit(0)


class _Sitting:
    """The judging of one file."""

    def __init__(self, job: Job, candidate: Candidate) -> None:
        self.job = job
        self.options = job.options
        self.candidate: Candidate | None = candidate
        take(map(Path, job.packs))
        self.kata: Kata = find(job.kata)
        # Whether the candidate runs another text than the file's.
        self.edited = False
        self.phase = "load"
        self.subject: Subject | None = None
        self.loading: Load | None = None
        self.result = Report(
            kata=self.kata.id,
            file=job.file,
            verdict="error",
            seed=job.seed,
            torch=str(torch.__version__),
        )

    def report(self) -> Report:
        """Judge the file; whatever happens, a report comes of it."""
        candidate = self.candidate
        assert candidate is not None
        try:
            candidate.serve(os.path.realpath(self.job.file))
            source = read(Path(self.job.file))
            self.result.cells = source.cells or []
            try:
                self._judge(source, candidate)
            except Foul as foul:
                Sheet(self.result, source).foul(foul.called, foul.line)
            except Unjudged as unjudged:
                # What is missing may stand in a cell that Python could not read.
                hidden = unjudged.fault.kind in {"no-class", "load"}
                raise (source.broken if hidden and source.broken else unjudged) from None
        except Unreadable as fault:
            self.result.error = Fault(kind=fault.kind, message=fault.message, line=fault.line)
            self.result.cells = fault.cells or []
        except Unjudged as unjudged:
            self.result.error = unjudged.fault
            self.result.diagnosis = unjudged.diagnosis
            self.result.functions = self.result.functions or unjudged.functions
        except Ended as ended:
            self.result.error = self._ended(ended)
        except Exception as fault:  # noqa: BLE001 - our own fault must not cost the other files
            self.result.error = self._own_fault(fault)
        finally:
            self._serve(None)
        if self.result.error is not None:
            self.result.verdict = "error"
        return self.result

    def timings(self, lengths: Sequence[int], requests: socket.socket) -> Timings:
        """Time the submission where it has passed; elsewhere there is nothing to time."""
        if self.subject is None or self.result.verdict != "pass":
            return Timings(stopped="lost")
        assert self.loading is not None
        device = self.result.device
        return timed(self.subject, self.loading, requests, self.job, device, lengths)

    def _serve(self, candidate: Candidate | None) -> None:
        """End the candidate that there is; another may take its place."""
        if self.candidate is not None:
            printed = self.candidate.close()
            # A second one prints the same again, and one of another text what nobody wrote.
            if not self.result.printed and not self.edited:
                self.result.printed, self.result.printed_from = parted(printed)
        self.candidate, self.edited = candidate, False

    def _own_fault(self, fault: Exception) -> Fault:
        if os.environ.get("ATTN_KATA_DEBUG"):
            traceback.print_exc()
        place = traceback.extract_tb(fault.__traceback__)[-1]
        reason = f"{type(fault).__name__}: {fault}, {Path(place.filename).name}:{place.lineno}"
        return Fault(kind="crash", message=say("judge-fault", reason=reason))

    def _ended(self, ended: Ended) -> Fault:
        place = ended.place
        phase = say(f"phase-{place.phase or self.phase}")
        if place.line is not None:
            phase = say("at-line", phase=phase, line=place.line)
        key = f"ended-{ended.why or ended.kind}"
        if ended.why or ended.kind != "crash":
            assert self.candidate is not None
            # By the clock it is the far limit that was reached.
            far = self.candidate.meter.far
            values = {"seconds": self.options.timeout if ended.why else far}
            message = say(key, phase=phase, memory=self.options.memory >> 20, **values)
        else:
            code = ended.code or 0
            how = say("exit-signal" if code < 0 else "exit-code", code=abs(code))
            message = say(key, phase=phase, how=how)
        return Fault(kind=ended.kind, message=message, line=place.line)

    def _judge(self, source: Source, candidate: Candidate) -> None:
        loaded = self._load(source, candidate)
        self.phase = "run"
        try:
            self.subject = direct.judge(
                self.kata, candidate, source, self.result, self.job,
                loaded=loaded, revive=self._revived, afresh=self._afresh,
                on_device=self._on_device,
            )  # fmt: skip
        except direct.Refused as refused:
            unjudged = Unjudged(refused.kind, refused.message, refused.line, refused.help)
            unjudged.diagnosis = refused.diagnosis
            raise unjudged from None

    def _revived(self, ended: Ended) -> tuple[Fault, Candidate]:
        """Run the file again, for what one of its functions has ended."""
        fresh = self._afresh()
        return self._ended(ended), fresh

    def _afresh(self, text: str = "") -> Candidate:
        """Run the file again, or a text in its place, in a process that no call was made in."""
        assert self.candidate is not None
        before = self.candidate
        self._serve(None)
        fresh = Candidate(before.requests, before.limits)
        self._serve(fresh)
        fresh.serve(before.path)
        assert self.loading is not None
        self.edited = text not in {"", self.loading.source}
        fresh.ask(replace(self.loading, source=text) if self.edited else self.loading)
        return fresh

    def _load(self, source: Source, candidate: Candidate) -> Loaded:
        if self.kata.lacking:
            raise Unjudged("crash", say("kata-lacking", name=self.kata.lacking))
        kernels = self.kata.kernels
        self.loading = _to_load(source, candidate.path, self.options.beside, kernels=kernels)
        answer = candidate.ask(self.loading)
        fault = answer.fault
        if fault is not None and (source.cells is None or not answer.classes):
            raise load_fault(fault, source)
        return answer

    def _on_device(self, sheet: Sheet, again: Again) -> DeviceRun | None:
        """Judge what has passed so far on a real accelerator, where there may be one."""
        asked = hoped(self.options.device)
        if asked is None or any(check.status == "fail" for check in sheet.checks.values()):
            return None
        first = self.candidate
        assert first is not None
        assert self.loading is not None
        self.phase = "device"
        # A supervisor watches one at a time.
        limits = Limits(
            seconds=self.options.timeout, memory=self.options.memory, accelerator=asked,
            programs=self.kata.kernels,
        )  # fmt: skip
        self._serve(None)
        run = run_on_device(again, first, limits, self.loading, self._serve)
        if not run.ran and self.options.device != "auto":
            reason = run.reason or say("device-none")
            message = say("device-asked-no-start", kind=run.kind.upper(), reason=reason)
            raise Unjudged("crash", message)
        return run


def _to_load(source: Source, path: str, beside: str, *, kernels: bool) -> Load:
    """Return the request that has a candidate's process run a file. path: the file's, resolved.

    beside: the folder whose files it may import, "" for its own. In a package it may import
    relatively, as it does where it is imported. kernels: whether it has Triton's.
    """
    folder = top = Path(beside or Path(path).parent)
    package: list[str] = []
    while (top / "__init__.py").is_file() and top.name.isidentifier():
        package.insert(0, top.name)
        top = top.parent
    return Load(
        source=source.text, path=path, cells=source.cells,
        folders=[str(folder), str(top)], package=".".join(package), kernels=kernels,
    )  # fmt: skip
