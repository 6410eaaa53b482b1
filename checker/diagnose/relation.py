"""How a wrong tensor relates to the right one: a factor, a transposition, another step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from ..report.message import Said, say
from .layout_match import laid_out
from .milestones import HIDDEN

__all__ = ["relation"]

_CLOSE = 1e-5


def relation(right: Tensor, held: Sequence[Tensor], others: Mapping[str, Tensor]) -> Said:
    """Say in a sentence how what is held differs from a step of the reference.

    others: the reference's other steps by name. Empty where nothing simple relates the two.
    """
    for value in held:
        turned = list(laid_out(value.double(), right))
        factors = [_factor(one, right) for one in turned]
        factor = next((one for one in factors if one is not None), None)
        if factor is not None:
            return say("relation-factor", factor=f"{factor:.3g}")
        if value.numel() == right.numel() and _same(_sorted(value), _sorted(right)):
            return say("relation-mixed")
        shares = [_agreement(one, right) for one in turned]
        share = max((one for one in shares if one is not None), default=None)
        if share is not None:
            return say("relation-part", share=f"{share:.0%}")
        for name, other in others.items():
            if other.numel() == value.numel() and _same(_sorted(value), _sorted(other)):
                return say("relation-other", name=name)
    return ""


def _factor(value: Tensor, right: Tensor) -> float | None:
    """The constant that every finite entry differs by."""
    shown = torch.isfinite(right) & torch.isfinite(value) & (right.abs() > 1e-9)
    shown &= (right > HIDDEN) & (value > HIDDEN)
    if int(shown.sum()) < 2:
        return None
    ratios = value[shown] / right[shown]
    middle = float(ratios.median())
    if not math.isfinite(middle) or abs(middle) < 1e-9 or abs(middle - 1) < _CLOSE:
        return None
    return middle if bool(((ratios - middle).abs() <= _CLOSE * abs(middle)).all()) else None


def _agreement(value: Tensor, right: Tensor) -> float | None:
    """The share of entries that agree, where a good part does and the rest does not."""
    hidden = (right < HIDDEN) & (value < HIDDEN)
    scale = float(right[right > HIDDEN].abs().max()) if bool((right > HIDDEN).any()) else 1.0
    equal = ((value - right).abs() <= _CLOSE * (scale or 1.0)) | hidden
    share = float(equal.double().mean())
    return share if 0.2 <= share < 1 else None


def _sorted(value: Tensor) -> Tensor:
    flat = value.double().flatten()
    return flat.clamp(min=HIDDEN).nan_to_num(nan=1e300).sort().values


def _same(left: Tensor, right: Tensor) -> bool:
    scale = float(right.abs().max()) if right.numel() else 1.0
    return bool(((left - right).abs() <= _CLOSE * (scale or 1.0)).all())
