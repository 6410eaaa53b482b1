"""A class that is examined once more in another process: on a device, in float32."""

from __future__ import annotations

from collections import deque
from typing import Any

import torch
from torch import Tensor

from ...process.handle import Candidate
from ...process.wire import dtype_name
from ..compare import gap, low_precision_bound
from .behaviour import device_calls
from .cases import GAIN, Case
from .dropout_trial import DropoutFinding, DropoutTrial
from .examine import Examination
from .halves import try_dtypes
from .on_device import DeviceRun

__all__ = ["ClassAgain"]

# Rates are read from a factor, exactly but for rounding.
_SAME_RATE = 2e-3
# Scores in the cases of the `dtypes` check stay below this.
_SCORE = 8


class ClassAgain:
    """An examination of a class, and what dropout does on the CPU, None where it is unknown."""

    def __init__(self, examination: Examination, dropout: DropoutFinding | None) -> None:
        self.base = examination
        self.dropout = dropout

    def plain_fault(self, candidate: Candidate) -> dict[str, Any] | None:
        """What the plain calls raise, on weights as they were made; None where they run."""
        examination = self._moved(candidate)
        fitted, size = examination.fitted, examination.sizes[0]
        calls = device_calls(examination)
        result = fitted.run([fitted.entry(size, {}, calls, torch.float32)])[0]
        answers = [result, *result.get("answers", [])]
        return next((answer["fault"] for answer in answers if "fault" in answer), None)

    def examine(self, candidate: Candidate, run: DeviceRun) -> dict[str, Any] | None:
        """Fill in what is found at two sizes; return why it cannot be made at one of them."""
        moved = self._moved(candidate)
        ready = moved.prepare(moved.sizes[:2])
        # What cannot be made at a size there, and could be here, is a fault of that device.
        misfit = next((f for f in moved.misfits.values() if f is not None), None)
        if misfit is not None or not ready:
            return misfit
        deque(moved.try_grid(ready), maxlen=0)
        moved.try_purity(ready)
        try_dtypes(moved, ready)
        candidate.settle()
        if self.dropout is not None and run.kind != "mps":
            # The reading solves for the weights, which takes float64, and Metal has none.
            trial = DropoutTrial.begin(self._moved(candidate, torch.float64))
            run.dropout = trial is not None and _other(self.dropout, trial.read())
        run.findings = [finding for group in moved.findings.values() for finding in group]
        run.state = moved.state
        run.cases = sum(moved.counts.values())
        skipped = set(moved.skipped_dtypes)
        halves = (d for d in (torch.bfloat16, torch.float16) if d not in skipped)
        run.dtypes = ("float32", *map(dtype_name, halves))
        return None

    def with_tf32(self, candidate: Candidate) -> float | None:
        """How far float32 is off once its products are made of tf32."""
        examination = self._moved(candidate)
        fitted, size = examination.fitted, examination.sizes[0]
        case = Case(check="dtypes", batch=2, queries=6, keys=8 if examination.cross else 6)
        drawn = examination.questions.draw(size, GAIN)
        if drawn is None:
            return None
        bound = low_precision_bound(torch.float16, size.hidden, case.keys, _SCORE)
        trial = examination.questions.ask(drawn, case, bound=bound)
        call = dict(trial.call, tf32=True)
        result = fitted.run([fitted.entry(size, drawn.weights, [call], torch.float32)])[0]
        out = (result.get("answers") or [{}])[0].get("out")
        if not isinstance(out, Tensor) or out.shape != trial.expected.shape:
            return None
        return gap(out, trial.expected, bound).worst

    def _moved(self, candidate: Candidate, work: torch.dtype = torch.float32) -> Examination:
        """The same class in another process, with the roles that were found already."""
        fitted = self.base.fitted.elsewhere(candidate, work)
        moved = Examination(self.base.kata, fitted, self.base.convention)
        moved.forms, moved.mask_dtypes = self.base.forms, self.base.mask_dtypes
        return moved


def _other(here: DropoutFinding, there: DropoutFinding) -> bool:
    """Whether dropout does there what it does not do here."""
    if "unread" in {here.place, there.place}:
        return False
    same = here.place == there.place and abs(here.rate - there.rate) < _SAME_RATE
    fair = there.reading is None or not there.reading.on_weights
    return not (same and (fair or (there.reading and there.reading.agrees(there.rate))))
