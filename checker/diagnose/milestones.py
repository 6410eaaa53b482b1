"""The reference's own named steps, and where a submission's trace reaches them.

A milestone is reached when a traced tensor holds the same values in any layout: the
values are compared sorted, whole or head by head, so that a head axis anywhere, folded
heads and transposed scores all count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..judge import compare
from ..process.answers import Step
from ..report import report

__all__ = ["HIDDEN", "Signature", "Step", "alike", "find", "shown"]

# Scores below this count as hidden, whatever the fill.
HIDDEN = -9e3
_LARGEST = torch.finfo(torch.float64).max
_CLOSE = 1e-6
# Axes of what is (batch, heads, …, …).
_WITH_HEADS = 4


def shown(
    steps: Sequence[Step], ticks: Mapping[int, Sequence[str]], missed: tuple[int | None, str],
    named: Callable[[Sequence[int]], list[str]],
) -> list[report.Step]:  # fmt: skip
    """Return traced steps as a report carries them.

    ticks: the milestones that each reaches, by its place. missed: the place where one should
    have been, and which. named: names the axes of a shape.
    """
    rows: list[report.Step] = []
    for place, step in enumerate(steps):
        shape, parts = _shape_of(step)
        if shape is not None:
            row = report.Step(line=step.line, call=step.written, shape=shape)
            row.milestone = ", ".join(ticks.get(place, ())) or None
            row.missed = missed[1] if place == missed[0] else None
            row.axes, row.parts = named(shape), parts
            rows.append(row)
    return rows


def _shape_of(step: Step) -> tuple[list[int] | None, int]:
    """The shape of a step's result, and of how many tensors."""
    shape = step.shape
    if isinstance(shape, list):
        return shape, 1
    shapes = [list(value.shape) for value in step.values]
    if shapes and all(one == shapes[0] for one in shapes):
        return shapes[0], len(shapes)
    return None, 0


@dataclass(frozen=True, slots=True)
class Signature:
    """A tensor's values in order, wherever they lay.

    values: the finite ones that hide nothing. hidden: how many hide a score, whatever the fill.
    broken: how many are NaN, or infinite above. low, high: the ends of `values`, 0 without any.
    """

    values: Tensor
    hidden: int
    broken: int
    low: float
    high: float

    @classmethod
    def of(cls, tensor: Tensor) -> Signature:
        """Sort a tensor's values."""
        # NaN comes last.
        ordered = tensor.detach().double().flatten().sort().values
        hidden = int((ordered < HIDDEN).sum())
        whole = int((ordered <= _LARGEST).sum())
        values = ordered[hidden:whole]
        low, high = (float(values[0]), float(values[-1])) if len(values) else (0.0, 0.0)
        return cls(values, hidden, len(ordered) - whole, low, high)

    @property
    def count(self) -> int:
        """How many values there are, hidden and broken ones too."""
        return self.hidden + len(self.values) + self.broken

    def same(self, right: Signature, close: float) -> bool:
        """Whether these are another one's values, but for `close` times its largest."""
        if len(self.values) != len(right.values) or not self.may_be(right.ends, close):
            return False
        bound = close * (max(-right.low, right.high) or 1.0)
        return bool(((self.values - right.values).abs() <= bound).all())

    @property
    def ends(self) -> Ends:
        """What tells most apart."""
        return Ends(self.hidden, self.broken, self.low, self.high)

    def may_be(self, ends: Ends, close: float) -> bool:
        """Whether a tensor of as many values with these ends may have the same."""
        if (self.hidden, self.broken) != ends[:2] or len(self.values) == 0:
            return False
        bound = close * (max(-ends.low, ends.high) or 1.0)
        return abs(self.low - ends.low) <= bound and abs(self.high - ends.high) <= bound


class Ends(NamedTuple):
    """Of a tensor's values how many hide, how many are broken, and the ends of all others."""

    hidden: int
    broken: int
    low: float
    high: float

    @classmethod
    def of(cls, rows: Tensor) -> list[Ends]:
        """Those of each row of a table, which is not sorted for them."""
        values = rows.detach().double()
        low, high = torch.aminmax(values, dim=1)
        if bool(((low >= HIDDEN) & (high <= _LARGEST)).all()):
            return [cls(0, 0, *each) for each in zip(low.tolist(), high.tolist(), strict=True)]
        hides, broken = values < HIDDEN, ~(values <= _LARGEST)
        left_out = hides | broken
        low = values.masked_fill(left_out, math.inf).amin(dim=1)
        high = values.masked_fill(left_out, -math.inf).amax(dim=1)
        none = left_out.all(dim=1)
        counts = hides.sum(dim=1), broken.sum(dim=1)
        ends = low.masked_fill(none, 0.0), high.masked_fill(none, 0.0)
        return [
            cls(*each) for each in zip(*(one.tolist() for one in (*counts, *ends)), strict=True)
        ]


def alike(left: Tensor, right: Tensor, close: float) -> bool:
    """Whether two steps agree to a share of the largest entry, NaN with NaN.

    What hides a score is held against its own size: beside it all others would be alike.
    """
    if left.shape != right.shape:
        return False
    mine, theirs = left.double(), right.double()
    hides = mine < HIDDEN
    if not bool(hides.any()):
        return compare.alike(mine, theirs, close)
    fills = torch.isclose(mine[hides], theirs[hides], rtol=close, atol=0)
    return bool(fills.all()) and compare.alike(
        mine.masked_fill(hides, 0.0), theirs.masked_fill(hides, 0.0), close
    )


def find(wanted: Tensor, steps: list[Step], close: float = _CLOSE) -> Step | None:
    """Return the first traced step that holds a milestone's values, whole or for one head.

    close: how far they may be off, of the largest.
    """
    rows = [wanted.reshape(1, -1)] if wanted.numel() else []
    if rows and wanted.dim() == _WITH_HEADS:
        rows.append(wanted.movedim(1, 0).flatten(1))
    parts = [part for many in rows for part in zip(many, Ends.of(many), strict=True)]
    counts = {len(part) for part, _ in parts}
    # Few are sorted: most are told apart by their ends.
    known: dict[int, Signature] = {}
    for step in steps:
        for held in _signatures(step, counts):
            for at, (part, ends) in enumerate(parts):
                if len(part) == held.count and held.may_be(ends, close):
                    known[at] = known.get(at) or Signature.of(part)
                    if held.same(known[at], close):
                        return step
    return None


def _signatures(step: Step, counts: set[int]) -> Iterator[Signature]:
    """Sort a step's values once, and only those that could be meant: a loop makes thousands."""
    known: dict[int, Signature] = step.signatures
    for place, value in enumerate(step.values):
        if value.numel() in counts:
            if place not in known:
                known[place] = Signature.of(value)
            yield known[place]
