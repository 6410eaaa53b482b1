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
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from .behaviour import device_calls
from .cases import GAIN, Case
from .compare import gap, low_precision_bound
from .dropout_trial import DropoutFinding, DropoutTrial
from .examine import Examination
from .halves import try_dtypes
from .limits import Limits
from .process import Candidate, Ended
from .trials import Finding
from .wire import dtype_name

__all__ = ["DeviceRun", "run_on_device"]

# A driver's first start reads gigabytes of kernels from the disk.
_STARTS_WITHIN = 90.0
# What a driver and its libraries take of the machine's own memory, beside the submission.
_DRIVER_TAKES = 6 << 30
# Rates are read from a factor, exactly but for rounding.
_SAME_RATE = 2e-3
# Scores in the cases of the `dtypes` check stay below this.
_SCORE = 8


@dataclass(slots=True, kw_only=True)
class DeviceRun:
    """What came of a real device.

    place: `cuda:0`, say; name: the GPU's. reason: why it did not start, None where it did, empty
    where there plainly is none. fault: what the first plain calls raised, or a later kernel.
    findings: by check, as an examination's. dropout: what is wrong with it there, or None.
    state: as an examination's. tf32: how far off float32 is with it, in units of the output's
    scale. elsewhere: what the plain calls raised on the last of several GPUs.
    """

    asked: str
    place: str = ""
    name: str = ""
    reason: str | None = None
    fault: dict[str, Any] | None = None
    findings: dict[str, list[Finding]] = field(default_factory=dict[str, list[Finding]])
    dropout: DropoutFinding | None = None
    state: str | None = None
    cases: int = 0
    dtypes: tuple[str, ...] = ()
    tf32: float | None = None
    tf32_bound: float = 0.0
    last: str = ""
    elsewhere: dict[str, Any] | None = None

    @property
    def kind(self) -> str:
        """`cuda`, `xpu` or `mps`."""
        return self.asked.partition(":")[0]

    @property
    def ran(self) -> bool:
        """Whether the submission ran there."""
        return self.reason is None


class _Session:
    """One process that is to run a submission on a device.

    load: the request that has it run the file.
    """

    def __init__(
        self, requests: socket.socket, limits: Limits, path: str, load: dict[str, Any]
    ) -> None:
        self.limits = limits
        roomy = Limits(
            seconds=limits.seconds + _STARTS_WITHIN,
            memory=limits.memory and limits.memory + _DRIVER_TAKES,
            accelerator=limits.accelerator,
        )
        self.candidate = Candidate(requests, roomy)
        self.candidate.serve(path)
        self.request = load

    def start(self, device: str) -> dict[str, Any]:
        """Have it take hold of a device: place, name and count, or a reason."""
        self.candidate.allow(replace(self.limits, seconds=_STARTS_WITHIN))
        try:
            answer = self.candidate.ask({"do": "start", "device": device})
        except Ended as ended:
            answer = {"reason": ended.kind if ended.code is None else f"exit {ended.code}"}
        self.candidate.allow(self.limits)
        return answer

    def load(self) -> dict[str, Any] | None:
        """Have it run the file; return what that raised. A notebook goes on after a fault."""
        fault = self.candidate.ask(self.request)["fault"]
        return fault if self.request["cells"] is None else None


def run_on_device(
    examination: Examination,
    limits: Limits,
    load: dict[str, Any],
    dropout: DropoutFinding | None,
    began: Callable[[Candidate], None],
) -> DeviceRun:
    """Judge a submission that passed on the CPU once more on the device that limits name.

    dropout: what dropout does on the CPU. began: told of each process, to end the one before
    it and this one in time. Raises what a candidate's end raises.
    """
    run = DeviceRun(asked=limits.accelerator)

    first = examination.fitted.candidate

    def session() -> _Session:
        made = _Session(first.requests, limits, first.path, load)
        began(made.candidate)
        return made

    one = session()
    started = one.start(run.asked)
    if "reason" in started:
        run.reason = started["reason"]
        return run
    run.place, run.name = started["place"], started["name"]
    run.fault = one.load() or _examine(run, examination, one, dropout)
    if run.fault is not None and _kernel_failed(run.fault):
        # Whose fault it was, a process that runs nothing of the submission's tells.
        run.reason = session().start(run.asked).get("reason")
    elif run.fault is None and started["count"] > 1 and run.asked == run.kind:
        run.last = f"{run.kind}:{started['count'] - 1}"
        if "reason" not in one.start(run.last):
            run.elsewhere = _plain_fault(_moved(examination, one, torch.float32))
    return run


def _kernel_failed(fault: dict[str, Any]) -> bool:
    words = ("CUDA error", "CUBLAS_STATUS", "CUDNN_STATUS", "HIP error", "XPU error")
    return any(word in fault["message"] for word in words)


def _examine(
    run: DeviceRun, base: Examination, session: _Session, dropout: DropoutFinding | None
) -> dict[str, Any] | None:
    """Fill in what the examination finds; return what the first plain calls raised."""
    moved = _moved(base, session, torch.float32)
    fault = _plain_fault(moved)
    if fault is not None:
        return fault
    ready = moved.prepare(moved.sizes[:2])
    # What cannot be made at a size there, and could be here, is a fault of that device.
    misfit = next((f for f in moved.misfits.values() if f is not None), None)
    if misfit is not None or not ready:
        return misfit
    deque(moved.try_grid(ready), maxlen=0)
    moved.try_purity(ready)
    try_dtypes(moved, ready)
    session.candidate.settle()
    if dropout is not None and run.kind != "mps":
        # The reading solves for the weights, which takes float64, and Metal has none.
        trial = DropoutTrial.begin(_moved(base, session, torch.float64))
        run.dropout = trial and _other(dropout, trial.read())
    run.findings, run.state = moved.findings, moved.state
    run.cases = sum(moved.counts.values())
    skipped = set(moved.skipped_dtypes)
    halves = (d for d in (torch.bfloat16, torch.float16) if d not in skipped)
    run.dtypes = ("float32", *map(dtype_name, halves))
    if run.kind == "cuda":
        run.tf32, run.tf32_bound = _with_tf32(moved)
    faults = [f.fault for group in run.findings.values() for f in group if f.fault is not None]
    return next((fault for fault in faults if _kernel_failed(fault)), None)


def _moved(base: Examination, session: _Session, work: torch.dtype) -> Examination:
    """The same class in another process, with the roles that were found already."""
    fitted = base.fitted.elsewhere(session.candidate, work)
    moved = Examination(base.kata, fitted, base.convention)
    moved.forms, moved.mask_dtypes = base.forms, base.mask_dtypes
    return moved


def _plain_fault(examination: Examination) -> dict[str, Any] | None:
    """What the plain calls raise, on weights as they were made; None where they run."""
    fitted, size = examination.fitted, examination.sizes[0]
    calls = device_calls(examination)
    run = fitted.entry(size, {}, calls, torch.float32)
    result = fitted.run([run])[0]
    answers = [result, *result.get("answers", [])]
    return next((answer["fault"] for answer in answers if "fault" in answer), None)


def _other(here: DropoutFinding, there: DropoutFinding) -> DropoutFinding | None:
    """What dropout does there, where that is not what it does here."""
    if "unread" in {here.place, there.place}:
        return None
    same = here.place == there.place and abs(here.rate - there.rate) < _SAME_RATE
    fair = there.reading is None or not there.reading.on_weights
    if same and (fair or (there.reading and there.reading.agrees(there.rate))):
        return None
    return there


def _with_tf32(examination: Examination) -> tuple[float | None, float]:
    """How far float32 is off once its products are made of tf32, and float16's bound for it."""
    fitted, size = examination.fitted, examination.sizes[0]
    case = Case(check="dtypes", batch=2, queries=6, keys=8 if examination.cross else 6)
    drawn = examination.questions.draw(size, GAIN)
    if drawn is None:
        return None, 0.0
    bound = low_precision_bound(torch.float16, size.hidden, case.keys, _SCORE)
    trial = examination.questions.ask(drawn, case, bound=bound)
    call = dict(trial.call, tf32=True)
    result = fitted.run([fitted.entry(size, drawn.weights, [call], torch.float32)])[0]
    out = (result.get("answers") or [{}])[0].get("out")
    if not isinstance(out, Tensor) or out.shape != trial.expected.shape:
        return None, bound
    return gap(out, trial.expected, bound).worst, bound
