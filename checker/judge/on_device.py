"""The judge's side of a real accelerator: the examination once more, on tensors that live there.

A process of its own loads the file anew, on a machine that has a GPU: the one in which all
else was judged finds none, so that verdicts are the same everywhere. The judge itself speaks
to no driver. It draws, and works out what is right, in float64 on the CPU as ever.

float32 decides there, under the bound that `compare` derives. The kernels' sums allow it:
without tf32 cuBLAS multiplies and adds float32 in float32, in an order of its own, and
softmax adds up in float32 whatever it is given. Products of halves are summed in float32 and
rounded once; the split sums that torch lets cuBLAS round in between are turned off. tf32
keeps 10 bits of each factor, as float16 does, and is held against float16's bound, but only
told of: whoever turns it on knows what it costs.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..process.answers import Raised, Started
from ..process.handle import Candidate, Ended
from ..process.limits import Limits
from ..process.requests import Load, Start
from .finding import Finding

__all__ = ["Again", "DeviceRun", "Session", "run_on_device"]

# A driver's first start reads gigabytes of kernels from the disk.
_STARTS_WITHIN = 90.0
# What a driver and its libraries take of the machine's own memory, beside the submission.
_DRIVER_TAKES = 6 << 30


@dataclass(slots=True, kw_only=True)
class DeviceRun:
    """What came of a real device.

    place: `cuda:0`, say; name: the GPU's. reason: why it did not start, None where it did, empty
    where there plainly is none. fault: what the first plain calls raised, or a later kernel.
    findings: what went wrong there. dropout: whether it does something else there than on the
    CPU. state: as an examination's. tf32: how far off float32 is with it, in units of the
    output's scale. kernel_tf32: likewise, of what a kernel makes of tf32 by itself. elsewhere: what
    the plain calls raised on the last of several GPUs.
    """

    asked: str
    place: str = ""
    name: str = ""
    reason: str | None = None
    fault: Raised | None = None
    findings: list[Finding[Any]] = field(default_factory=list[Finding[Any]])
    dropout: bool = False
    state: str | None = None
    cases: int = 0
    dtypes: tuple[str, ...] = ()
    tf32: float | None = None
    kernel_tf32: float | None = None
    last: str = ""
    elsewhere: Raised | None = None

    @property
    def kind(self) -> str:
        """`cuda`, `xpu` or `mps`."""
        return self.asked.partition(":")[0]

    @property
    def ran(self) -> bool:
        """Whether the submission ran there."""
        return self.reason is None


class Again(Protocol):
    """An examination that another process makes once more, on its device."""

    def plain_fault(self, candidate: Candidate) -> Raised | None:
        """What the plain calls raise, None where they run."""
        ...

    def examine(self, candidate: Candidate, run: DeviceRun) -> Raised | None:
        """Fill in what is found there; return what kept it from being examined at all."""
        ...

    def with_tf32(self, candidate: Candidate) -> float | None:
        """How far float32 is off, in units of the output's scale, once its products are tf32's."""
        ...


class Session:
    """One process that is to run a submission on a device.

    load: the request that has it run the file.
    """

    def __init__(self, requests: socket.socket, limits: Limits, load: Load) -> None:
        self.limits = limits
        roomy = Limits(
            seconds=limits.seconds + _STARTS_WITHIN,
            memory=limits.memory and limits.memory + _DRIVER_TAKES,
            accelerator=limits.accelerator,
            programs=limits.programs,
        )
        self.candidate = Candidate(requests, roomy)
        self.candidate.serve(load.path)
        self.request = load

    def start(self, device: str) -> Started:
        """Have it take hold of a device: place, name and count, or a reason."""
        self.candidate.allow(replace(self.limits, seconds=_STARTS_WITHIN))
        try:
            answer = self.candidate.ask(Start(device=device))
        except Ended as ended:
            answer = Started(reason=ended.kind if ended.code is None else f"exit {ended.code}")
        self.candidate.allow(self.limits)
        return answer

    def load(self) -> Raised | None:
        """Have it run the file; return what that raised. A notebook goes on after a fault."""
        fault = self.candidate.ask(self.request).fault
        return fault if self.request.cells is None else None


def run_on_device(
    again: Again,
    first: Candidate,
    limits: Limits,
    load: Load,
    began: Callable[[Candidate], None],
) -> DeviceRun:
    """Judge a submission that passed on the CPU once more on the device that limits name.

    first: the process that it passed in. began: told of each process, to end the one before
    it and this one in time. Raises what a candidate's end raises.
    """
    run = DeviceRun(asked=limits.accelerator)

    def session() -> Session:
        made = Session(first.requests, limits, load)
        began(made.candidate)
        return made

    one = session()
    started = one.start(run.asked)
    if started.reason is not None:
        run.reason = started.reason
        return run
    run.place, run.name = started.place, started.name
    run.fault = one.load() or _examine(run, again, one.candidate)
    if run.fault is not None and _kernel_failed(run.fault):
        # Whose fault it was, a process that runs nothing of the submission's tells.
        run.reason = session().start(run.asked).reason
    elif run.fault is None and started.count > 1 and run.asked == run.kind:
        run.last = f"{run.kind}:{started.count - 1}"
        if one.start(run.last).reason is None:
            run.elsewhere = again.plain_fault(one.candidate)
    return run


def _examine(run: DeviceRun, again: Again, candidate: Candidate) -> Raised | None:
    """Fill in what the examination finds; return what the first calls or a kernel raised."""
    fault = again.plain_fault(candidate) or again.examine(candidate, run)
    if fault is not None:
        return fault
    if run.kind == "cuda":
        run.tf32 = again.with_tf32(candidate)
    faults = [finding.fault for finding in run.findings if finding.fault is not None]
    return next((fault for fault in faults if _kernel_failed(fault)), None)


def _kernel_failed(fault: Raised) -> bool:
    words = ("CUDA error", "CUBLAS_STATUS", "CUDNN_STATUS", "HIP error", "XPU error")
    return any(word in fault.message for word in words)
