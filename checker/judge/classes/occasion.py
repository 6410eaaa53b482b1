"""A call of the submission that needs no right answer: to watch it, or to set it beside another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .cases import GAIN, Case, draw_inputs, draw_weights
from .examine import Examination
from .plan import Size

__all__ = ["Occasion", "arrange", "hold", "smallest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """A call and what it was made of.

    mask: as the reference takes it; keep: the rows that count; both None without a mask.
    """

    inputs: dict[str, Tensor]
    mask: Tensor | None
    keep: Tensor | None
    call: dict[str, Any]


def arrange(
    examination: Examination,
    case: Case,
    size: Size,
    dtype: torch.dtype | None = None,
    mask_as: tuple[str, torch.dtype] | None = None,
) -> Occasion:
    """Draw a case's inputs and mask, and write the call.

    mask_as: the mask's form and dtype; where none is given, those that went wrong.
    """
    fitted = examination.fitted
    inputs = draw_inputs(case, fitted.binding, size.hidden, fitted.draw, cross=examination.cross)
    form, mask_dtype = "", torch.int64
    if case.mask:
        form, mask_dtype = mask_as or examination.telling_mask
    mask, keep, dressed = examination.questions.draw_mask(
        case, size, form, mask_dtype, dtype or fitted.work, fitted.draw
    )
    shape = [case.batch, case.queries, size.hidden]
    call = fitted.binding.forward.call(inputs, dressed, shape=shape, train=case.train)
    return Occasion(inputs=inputs, mask=mask, keep=keep, call=call)


def hold(
    examination: Examination,
    size: Size,
    calls: list[dict[str, Any]],
    weights: dict[str, Tensor] | None = None,
    *,
    made: bool = False,
) -> dict[str, Any]:
    """Have one object make calls, on weights drawn here unless given; return what they gave.

    made: whether the torch calls of its constructor are wanted as well.
    """
    fitted = examination.fitted
    shapes = fitted.shapes(size)
    if weights is None:
        weights = draw_weights(shapes, size.hidden, GAIN, fitted.draw) if shapes else {}
    run = fitted.entry(size, weights, calls, fitted.work)
    result = fitted.run([dict(run, record=made)])[0]
    return {"made": [], **result, "answers": result.get("answers") or [{}] * len(calls)}


def smallest(examination: Examination, *checks: str) -> tuple[Case, Size] | None:
    """The smallest case of the first of these checks whose values were wrong."""
    for check in checks:
        failed = [f.trial for f in examination.findings.get(check, []) if f.kind == "values"]
        if failed:
            least = min(failed, key=lambda trial: trial.weight)
            return least.case, least.size
    return None
