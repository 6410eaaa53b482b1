"""Functions and classes that are examined once more in another process: on a device, in float32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from ..process.answers import Raised
from ..process.handle import Candidate
from .checks import try_all
from .compare import case_bound, gap
from .dropout_finding import SAME_RATE, DropoutFinding
from .examine import Examination
from .finding import Finding
from .on_device import DeviceRun
from .trials import Trial
from .weighing import Weighing

__all__ = ["DirectAgain"]


class DirectAgain:
    """All that one submission was asked for, examined on the CPU before."""

    def __init__(self, examinations: Sequence[Examination]) -> None:
        self.base = examinations

    def plain_fault(self, candidate: Candidate) -> Raised | None:
        """What the plain calls raise, None where they run."""
        for one in self._moved(candidate):
            answers = one.run(one.plain_trials())
            fault = next((answer.fault for answer in answers if answer.fault is not None), None)
            if fault is not None:
                return fault
        return None

    def examine(self, candidate: Candidate, run: DeviceRun) -> None:
        """Fill in what is found there."""
        dtypes = {"float32": None}
        for base, one in zip(self.base, self._moved(candidate), strict=True):
            if run.kind == "mps":
                # Metal has no float64, for masks neither.
                one.mask_dtypes = [d for d in one.mask_dtypes if d is not torch.float64]
            if isinstance(one, Weighing):
                one.dropout = None
            try_all(one)
            if isinstance(base, Weighing) and isinstance(one, Weighing):
                run.dropout |= _other(base.dropout, one.dropout)
            for finding in (each for group in one.found.findings.values() for each in group):
                off = _of_tf32(one, finding)
                if off is None:
                    run.findings.append(finding)
                else:
                    run.kernel_tf32 = max(off, run.kernel_tf32 or 0.0)
            run.state = run.state or one.found.state
            run.cases += sum(one.found.counts.values())
            dtypes |= one.found.dtypes
        run.dtypes = tuple(dtypes)

    def with_tf32(self, candidate: Candidate) -> float | None:
        """How far the first results that hold floats are off once products are made of tf32."""
        for one in self._moved(candidate):
            trial = next(iter(one.plain_trials()), None)
            # What torch has products made of is not what a kernel makes its own of.
            if trial is None or one.kata.kernels or not trial.expected[0].is_floating_point():
                continue
            trial.call = replace(trial.call, tf32=True)
            out = trial.results(one.run([trial])[0])
            if out and out[0].shape == trial.expected[0].shape:
                return gap(out[0], trial.expected[0], trial.bound).worst
        return None

    def _moved(self, candidate: Candidate) -> list[Examination]:
        return [one.elsewhere(candidate) for one in self.base]


def _of_tf32(one: Examination, finding: Finding[Trial]) -> float | None:
    """How far off a kernel's float32 result is, where tf32 in its products accounts for it.

    Nobody can turn that off from outside: `tl.dot` has tf32 where it is not told otherwise, and
    Triton up to 3.6 makes a `tl.dot` with tf32 of a sum of products.
    """
    if not one.kata.kernels or finding.kind != "values" or finding.gap is None:
        return None
    trial, off = finding.trial, finding.gap.worst
    # tf32 keeps as many bits of a factor as float16 does.
    bound = case_bound(one.function, trial.case, torch.float16)
    return off if trial.dtype is torch.float32 and off <= bound else None


def _other(here: DropoutFinding | None, there: DropoutFinding | None) -> bool:
    """Whether dropout does there what it does not do here, as far as both are known."""
    if here is None or there is None or "unknown" in {here.place, there.place}:
        return False
    return here.place != there.place or abs((here.p or 0.0) - (there.p or 0.0)) > SAME_RATE
