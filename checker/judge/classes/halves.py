"""Lower precision: float32, bfloat16, float16 and autocast beside float64 truth.

Under autocast a float32 module makes its products in bfloat16: their factors are rounded to
it, and so is what comes out. The weights and inputs that are drawn for it are bfloat16
numbers already, so that the first rounding changes nothing. Every other rounding is one that
a module in bfloat16 makes as well, and what autocast leaves in float32 (on CUDA the softmax,
on the CPU most of what is no product) rounds less. Its bound is therefore bfloat16's. An
exception says nothing there: autocast makes a mixture of dtypes by itself, and an operator
that it does not know refuses it (`tensordot` does). Code that fixes a dtype fails without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from ...process.wire import dtype_name
from ..compare import low_precision_bound
from .cases import GAIN, Case
from .examine import Examination, Ready
from .questions import Drawn
from .trials import Trial, answers_of

__all__ = ["AUTOCAST", "excuse", "try_dtypes"]

# What autocast makes products in; its trials are those of this dtype.
AUTOCAST = torch.bfloat16
# The dtype that numbers are rounded to, and whether autocast does it.
_MANNERS = (
    (torch.float32, False),
    (torch.bfloat16, False),
    (torch.float16, False),
    (AUTOCAST, True),
)


def try_dtypes(examination: Examination, ready: Ready) -> None:
    """Every lower precision, against float64 truth for the rounded weights."""
    size = next(iter(ready))
    batches = []
    for dtype, autocast in _MANNERS:
        drawn = examination.questions.draw(size, GAIN, dtype)
        if drawn is None:
            return
        trials = [_trial(examination, case, drawn, dtype) for case in _cases(examination)]
        drawn.answer(trials)
        if autocast:
            mixed = {"autocast": dtype_name(dtype)}
            trials = [replace(t, autocast=True, call=t.call | mixed) for t in trials]
        calls = [trial.call for trial in trials]
        made_in = torch.float32 if autocast else dtype
        batches.append(
            (dtype, examination.fitted.entry(size, drawn.weights, calls, made_in), trials)
        )

    def take(results: list[dict[str, Any]]) -> None:
        for (dtype, _, trials), result in zip(batches, results, strict=True):
            for trial, answer in zip(trials, answers_of(result, len(trials)), strict=True):
                _judge(examination, dtype, trial, answer)

    examination.fitted.begin([entry for _, entry, _ in batches], take)


def _cases(examination: Examination) -> list[Case]:
    keys = 8 if examination.cross else 6
    cases = [Case(check="dtypes", batch=2, queries=6, keys=keys)]
    cases.append(Case(check="dtypes", batch=3, queries=2, keys=2 + examination.cross))
    if examination.takes_mask:
        cases.append(Case(check="dtypes", batch=2, queries=6, keys=keys, mask="random"))
        cases.append(Case(check="dtypes", batch=3, queries=6, keys=keys, mask="padding"))
    return cases


def _trial(examination: Examination, case: Case, drawn: Drawn, dtype: torch.dtype) -> Trial:
    form = examination.forms[0] if case.mask else ""
    bound = low_precision_bound(dtype, drawn.size.hidden, case.keys, 8)
    mask_dtype = examination.mask_dtype(0)
    return examination.questions.pose(
        drawn, case, form=form, mask_dtype=mask_dtype, dtype=dtype, bound=bound
    )


def excuse(fault: dict[str, Any] | None, dtype: torch.dtype, *, autocast: bool) -> str:
    """Why an exception in low precision is no mistake, "" where it is one or there is none.

    mixture: autocast's own. overflow: of a fill in float16, which is worth a remark. lacking: an
    operator that this torch has not in this dtype.
    """
    if fault is None:
        return ""
    if autocast:
        return "mixture"
    if dtype is torch.float16 and "overflow" in fault["message"]:
        return "overflow"
    return "lacking" if "not implemented for" in fault["message"] else ""


def _judge(
    examination: Examination, dtype: torch.dtype, trial: Trial, answer: dict[str, Any]
) -> None:
    fault = answer.get("fault")
    excused = excuse(fault, dtype, autocast=trial.autocast)
    if excused == "overflow" and fault is not None:
        examination.half_faults.append(fault)
    if excused == "lacking":
        examination.skipped_dtypes.append(dtype)
    if excused:
        return
    examination.counts["dtypes"] = examination.counts.get("dtypes", 0) + 1
    examination.autocast |= trial.autocast
    finding = trial.judge(answer)
    if finding is not None:
        examination.findings.setdefault("dtypes", []).append(finding)
