"""In which step a wrong causal mask is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ...kata.slips import Slip
from ..process.answers import Step
from .milestones import HIDDEN

__all__ = ["drawn_in", "shown_in"]


def shown_in(slip: Slip, right: dict[str, Tensor], wrong: dict[str, Tensor]) -> str | None:
    """The first of the steps that a mistake shows in that is made with it and without it."""
    return next((name for name in slip.shows if name in wrong and name in right), None)


def drawn_in(
    slip: Slip, right: dict[str, Tensor], wrong: dict[str, Tensor], steps: Sequence[Step]
) -> Step | None:
    """Where a wrong causal mask is drawn, in the constructor or in forward."""
    shown = shown_in(slip, right, wrong)
    if shown is None:
        return None
    hidden, covered = ((v[shown] < HIDDEN).flatten(0, -3)[0] for v in (wrong, right))
    length = hidden.shape[-1]
    # Where nothing is hidden, anything is like it.
    for step in steps if bool(hidden.any()) else ():
        for drawn in (*step.marks, *step.values):
            if drawn.dim() < 2 or min(drawn.shape[-2:]) < length:
                continue
            whole = drawn.flatten(0, -3)[0] if drawn.dim() > 2 else drawn
            # What else takes a share of the softmax may have a column before the keys.
            cuts = (whole[:length, :length], whole[:length, -length:])
            for seen in (seen for cut in cuts for seen in (cut != 0, cut < HIDDEN)):
                if _either(seen, hidden) and not _either(seen, covered):
                    return step
    return None


def _either(shown: Tensor, wanted: Tensor) -> bool:
    """Whether a mask or its opposite is the one wanted."""
    return torch.equal(shown, wanted) or torch.equal(~shown, wanted)
