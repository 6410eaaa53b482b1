"""In which form and dtypes a class takes its mask: found by trying them."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from .cases import Case
from .examine import Examination, Ready
from .masks import ADAPTED_FORMS
from .plan import Size
from .trials import Trial
from .truth import Truth

__all__ = ["choose_forms"]

_DTYPES = (torch.int64, torch.bool, torch.float32, torch.uint8, torch.int32, torch.float64)


def choose_forms(examination: Examination, ready: Ready) -> None:
    """Find out in which form and dtypes the mask is taken."""
    if not examination.takes_mask or not ready:
        return
    size, (weights, truth) = next(iter(ready.items()))
    own = examination.kata.contract.masks
    outcome = _try_forms(examination, own, size, weights, truth)
    good = [form for form in own if "right" in outcome[form].values()]
    others = tuple(form for form in ADAPTED_FORMS if form not in own)
    if good:
        examination.dropped_forms = [f for f in own if set(outcome[f].values()) == {"unfit"}]
    else:
        outcome |= _try_forms(examination, others, size, weights, truth)
        good = [f for f in others if "right" in outcome[f].values()][:1]
        if good:
            examination.dropped_forms = list(own)
    if not good:
        # The form that at least runs shows best what is wrong with its use.
        ran = [f for f in (*own, *others) if "wrong" in outcome[f].values()]
        examination.forms = ran[:1] or [own[0]]
        kinds = outcome[examination.forms[0]]
        examination.mask_dtypes = [d for d, r in kinds.items() if r == "wrong"] or [torch.int64]
        return
    # A form of the kata that runs and gives wrong values stays, and fails.
    examination.forms = good + [f for f in own if "wrong" in outcome[f].values() and f not in good]
    kinds = outcome[good[0]]
    examination.mask_dtypes = [d for d, result in kinds.items() if result != "unfit"]
    examination.dropped_dtypes = [d for d, result in kinds.items() if result == "unfit"]


def _try_forms(
    examination: Examination,
    forms: Iterable[str],
    size: Size,
    weights: dict[str, Tensor],
    truth: Truth,
) -> dict[str, dict[torch.dtype, str]]:
    dtypes = _DTYPES[:1] if examination.convention == "additive" else _DTYPES
    # Large enough that a random mask is not by chance its own transpose.
    case = Case(check="mask", batch=2, queries=5, keys=7 if examination.cross else 5, mask="random")
    bound = examination.work_bound(size, 5)
    trials: dict[tuple[str, torch.dtype], Trial] = {}
    for form in forms:
        one = examination.trial(
            case, size, truth, examination.fitted.work,
            form=form, mask_dtype=dtypes[0], check_bound=bound,
        )  # fmt: skip
        trials[form, dtypes[0]] = one
        trials |= {(form, dtype): one.masked_in(dtype) for dtype in dtypes[1:]}
    calls = [trial.call for trial in trials.values()]
    answers = examination.fitted.run(
        [examination.fitted.entry(size, weights, calls, examination.fitted.work)]
    )[0]
    outcome: dict[str, dict[torch.dtype, str]] = {form: {} for form in forms}
    for ((form, dtype), trial), answer in zip(
        trials.items(), answers.get("answers", []), strict=False
    ):
        finding = trial.judge(answer)
        if finding is None:
            result = "right"
        else:
            result = "wrong" if finding.kind in {"values", "none"} else "unfit"
        outcome[form][dtype] = result
    return outcome
