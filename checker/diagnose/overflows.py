"""In which step of a trace numbers first overflow, or are none."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..process.answers import Step
from .milestones import find

__all__ = ["overflow"]

_LITTLE = 1e-12


def overflow(steps: Sequence[Step], right: dict[str, Tensor]) -> Step | None:
    """The first step that comes to NaN, or to infinity above; of 0 / 0 the powers before it.

    Powers that are right, as what is hidden has none, leave it to the division. Of a sigmoid's
    logarithm, which is finite, that it is none. right: what the model answer names.
    """
    powers, before = None, ""
    for step in steps:
        name = step.call.strip("_")
        powers = step if name in {"exp", "exp2"} else powers
        of_sigmoid = (before, name) == ("sigmoid", "log")
        if of_sigmoid and any(bool(v.isneginf().any()) for v in step.values):
            return step
        before = name
        if any(bool((v.isnan() | (v == torch.inf)).any()) for v in step.values):
            divided = name in {"div", "truediv", "divide", "true_divide"}
            meant = powers if divided else None
            # Powers that are all next to 0 are found wherever little is.
            rights = (v for v in right.values() if v.numel() > 1 and bool((v > _LITTLE).any()))
            return step if meant is None or any(find(v, [meant]) for v in rights) else meant
    return None
