"""Where dropout acts and at which rate, read from the output alone.

In train mode the output is a mixture of the values with other coefficients than in eval
mode. With no more keys than features the coefficients can be solved for exactly, and
each must be its eval weight times 0 or times 1 / (1 - p). That holds whoever wrote the
dropout: torch's or by hand.

The share of zeros is held against the rate with a bound that right code crosses less
than once in a million checks: 5 standard deviations of a binomial (two-sided 5.7e-7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from .plan import Size
from .truth import Roles

__all__ = ["Reading", "read_multipliers", "together"]

_CLOSE = 1e-3
_MANY = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What train mode does to the weights.

    on_weights: every coefficient is its weight times 0 or times one constant.
    factor: that constant. dropped: the share of zeros, over `count` weights. together: the axis
    along which all share one fate, "" where each has its own.
    """

    on_weights: bool
    factor: float = 1.0
    dropped: float = 0.0
    count: int = 0
    together: str = ""

    def agrees(self, rate: float) -> bool:
        """Whether the share of zeros can come from this rate."""
        spread = math.sqrt(rate * (1 - rate) / max(self.count, 1))
        return abs(self.dropped - rate) <= 5 * spread + 1 / max(self.count, 1)


def read_multipliers(
    out: Tensor, weights: Tensor, values: Tensor, roles: Roles, flat: Tensor, size: Size
) -> Reading:
    """Solve for the mixture in a train-mode output.

    out: (batch, queries, hidden). weights: (batch, heads, queries, keys), the eval ones.
    values: (batch, heads, keys, head_dim), with keys at most head_dim.
    """
    context = _context(out.double(), roles, flat, size)
    batch, queries = out.shape[:2]
    by_head = context.reshape(batch, queries, size.heads, size.head_dim).transpose(1, 2)
    solved = torch.linalg.lstsq(values.transpose(-2, -1), by_head.transpose(-2, -1))
    mixture = solved.solution.transpose(-2, -1)
    rebuilt = mixture @ values
    if float((rebuilt - by_head).abs().max()) > _CLOSE * float(by_head.abs().max()):
        return Reading(on_weights=False)
    seen = weights > 1e-4
    every = mixture / weights.clamp_min(1e-9)
    ratio = every[seen]
    kept = ratio.abs() > _CLOSE * 10
    factor = float(ratio[kept].median()) if bool(kept.any()) else 0.0
    exact = torch.where(kept, (ratio - factor).abs(), ratio.abs())
    tolerance = _CLOSE * max(1.0, abs(factor)) * 5
    on_weights = bool((exact < tolerance).all()) and bool(torch.isfinite(ratio).all())
    dropped = float((~kept).double().mean())
    all_kept = torch.zeros_like(seen)
    all_kept[seen] = kept
    return Reading(
        on_weights=on_weights, factor=factor, dropped=dropped, count=int(seen.sum()),
        together=together(all_kept, seen),
    )  # fmt: skip


def together(kept: Tensor, seen: Tensor) -> str:
    """Return the axis along which all weights are kept or dropped together, "" for none.

    kept, seen: (batch, heads, queries, keys) or without heads; seen are those that can be told.
    """
    names = ("sample", "head", "query", "key") if kept.dim() == 4 else ("sample", "query", "key")
    if not bool((kept != seen).any()):
        return ""
    for axis, name in enumerate(names):
        both = seen & seen.narrow(axis, 0, 1)
        same = kept == kept.narrow(axis, 0, 1)
        # Each by itself, so many do not agree by chance at any rate that is asked for.
        if kept.shape[axis] > 1 and int(both.sum()) >= _MANY and bool(same[both].all()):
            return name
    return ""


def _context(out: Tensor, roles: Roles, flat: Tensor, size: Size) -> Tensor:
    """Undo the output projection: (batch, queries, hidden), features grouped by head."""
    centred = out - flat[roles.bo]
    if roles.o is None:
        return centred[..., roles.place]
    matrix = flat[roles.o]
    rows = centred.reshape(-1, size.hidden).T
    return torch.linalg.solve(matrix, rows).T.reshape(out.shape)
