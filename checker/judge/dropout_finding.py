"""What dropout does: where it acts, at which rate, and what is read of the weights.

The share of zeros is held against the rate with a bound that right code crosses less
than once in a million checks: 5 standard deviations of a binomial (two-sided 5.7e-7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

from ..process.answers import Dropout
from ..vocabulary import words

__all__ = ["SAME_RATE", "DropoutFinding", "Idle", "Reading", "Undone", "says_output", "together"]

_MANY = 150
_BY_CHANCE = 1e-12
Undone = Literal["", "whole", "otherwise"]
# Two rates that torch's dropouts were given are one where they differ by less.
SAME_RATE = 2e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What train mode does to the weights: each is multiplied by 0 or by one constant.

    factor: that constant. dropped: the share of zeros, over `count` weights. together: the axis
    along which all share one fate, "some" where a few do, "" where each has its own.
    """

    factor: float = 1.0
    dropped: float = 0.0
    count: int = 0
    together: str = ""

    def agrees(self, rate: float) -> bool:
        """Whether the share of zeros can come from this rate."""
        spread = math.sqrt(rate * (1 - rate) / max(self.count, 1))
        return abs(self.dropped - rate) <= 5 * spread + 1 / max(self.count, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Calls in which nothing is dropped, though it is in others.

    masked: whether they have a mask, and the others none. line: where their weights are made.
    """

    masked: bool
    line: int | None


@dataclass(slots=True, kw_only=True)
class DropoutFinding:
    """What dropout does.

    place: weights, none, scores, output, residual or other; beside, where it may act too, unknown,
    which is no step of the model answer's, or noise, which drops nothing.
    reading: what the output says of the weights. calls: the torch dropout calls. p: the rate of
    the one that is meant, where it was not read. asked: the rate that the constructor was given,
    None where it takes none. alone: the numbers of the calls that act on the weights, where all
    that drop anything are known. undone: where these halve each weight, whether the whole is what
    comes out, or something else; "" where it is half, as it should be. next: the line after what
    is drawn by hand that uses it, or after torch's dropout that divides. idle: calls in which
    nothing is dropped. kept: whether an object drops the same at every call.
    """

    place: str
    reading: Reading | None = None
    calls: list[Dropout] = field(default_factory=list["Dropout"])
    p: float | None = None
    asked: float | None = None
    line: int | None = None
    alone: tuple[int, ...] = ()
    undone: Undone = ""
    next: int | None = None
    idle: Idle | None = None
    kept: bool = False

    @property
    def rate(self) -> float:
        """The rate that the kept weights' factor speaks of, or that torch was given.

        No rate gives a factor below 1; all that are dropped have none.
        """
        if self.p is not None:
            return self.p
        factor = self.reading.factor if self.reading else 1.0
        return 1 - 1 / max(factor, 1.0) if factor else 1.0


def together(kept: Tensor, seen: Tensor) -> str:
    """Return the axis along which all weights are kept or dropped together, "" for none.

    "some" where those of some places along one are, as of every two heads.
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
    paired = (_paired(kept.movedim(axis, 0), seen.movedim(axis, 0)) for axis in range(kept.dim()))
    return "some" if any(paired) else ""


def _paired(kept: Tensor, seen: Tensor) -> bool:
    """Whether more places along the first axis share the fate of another than do so by chance."""
    dropped = 1 - float(kept.sum()) / float(seen.sum())
    one, other = (part.flatten(1).double() for part in (kept & seen, seen & ~kept))
    alike = one @ one.T + other @ other.T
    both = (one + other) @ (one + other).T
    shared = ((alike == both) & (both > 0)).triu(1)
    pairs, count = math.comb(len(kept), 2), int(shared.sum())
    ways = math.lgamma(pairs + 1) - math.lgamma(count + 1) - math.lgamma(pairs - count + 1)
    chance = math.log(dropped**2 + (1 - dropped) ** 2) * float(both[shared].sum())
    return ways + chance < math.log(_BY_CHANCE)


def says_output(module: str | None) -> bool:
    """Whether a dropout's name says that it belongs on the output, beside attention's own."""
    return bool(set(words(module or "")) & {"resid", "residual", "proj", "out", "output", "o"})
