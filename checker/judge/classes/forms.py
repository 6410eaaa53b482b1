"""In which form and dtypes a class takes its mask: found by trying them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from .cases import Case
from .examine import Examination, Ready
from .masks import ADAPTED_FORMS
from .trials import Trial

__all__ = ["Forms"]

_DTYPES = (torch.int64, torch.bool, torch.float32, torch.uint8, torch.int32, torch.float64)


class Forms:
    """Calls with a mask in every form that the kata names and every dtype.

    The candidate makes them while the judge does something else.
    """

    def __init__(self, examination: Examination, ready: Ready) -> None:
        self.examination = examination
        self.ready = next(iter(ready.items()), None)
        self.own = examination.kata.contract.masks
        self.outcome: dict[str, dict[torch.dtype, str]] = {}
        if examination.takes_mask and self.ready is not None:
            self._try(self.own)

    def choose(self) -> None:
        """Settle in which form and dtypes the mask is given from now on."""
        examination, own = self.examination, self.own
        if not examination.takes_mask or self.ready is None:
            return
        outcome = self.outcome
        examination.fitted.candidate.settle()
        good = [form for form in own if "right" in outcome[form].values()]
        others = tuple(form for form in ADAPTED_FORMS if form not in own)
        if good:
            examination.dropped_forms = [f for f in own if set(outcome[f].values()) == {"unfit"}]
        else:
            self._try(others)
            examination.fitted.candidate.settle()
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
        wrong = [f for f in own if "wrong" in outcome[f].values() and f not in good]
        examination.forms = good + wrong
        kinds = outcome[good[0]]
        examination.mask_dtypes = [d for d, result in kinds.items() if result != "unfit"]
        examination.dropped_dtypes = [d for d, result in kinds.items() if result == "unfit"]

    def _try(self, forms: Iterable[str]) -> None:
        examination = self.examination
        assert self.ready is not None
        size, drawn = self.ready
        dtypes = _DTYPES[:1] if examination.convention == "additive" else _DTYPES
        # Large enough that a random mask is not by chance its own transpose.
        keys = 7 if examination.cross else 5
        case = Case(check="mask", batch=2, queries=5, keys=keys, mask="random")
        bound = examination.work_bound(size, 5)
        trials: dict[tuple[str, torch.dtype], Trial] = {}
        for form in forms:
            one = examination.questions.ask(
                drawn, case, form=form, mask_dtype=dtypes[0], bound=bound
            )
            trials[form, dtypes[0]] = one
            trials |= {(form, dtype): one.masked_in(dtype) for dtype in dtypes[1:]}
            self.outcome[form] = {}

        def take(results: list[dict[str, Any]]) -> None:
            answers = results[0].get("answers", [])
            for ((form, dtype), trial), answer in zip(trials.items(), answers, strict=False):
                finding = trial.judge(answer)
                if finding is None:
                    result = "right"
                else:
                    result = "wrong" if finding.kind in {"values", "none"} else "unfit"
                self.outcome[form][dtype] = result

        calls = [trial.call for trial in trials.values()]
        entry = examination.fitted.entry(size, drawn.weights, calls, examination.fitted.work)
        examination.fitted.begin([entry], take)
