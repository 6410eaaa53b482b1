"""Find a step's values where a submission holds a part of them: some rows, some heads, one sample.

Tiled code and loops over heads never hold what the model answer holds as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from ..process.answers import Step
from .milestones import alike

__all__ = ["holding_part"]

# So many parts are looked at: of a long sequence there are millions, in a moment's work.
_MOST = 20_000
# Fewer entries may be equal by chance.
_FEW = 4
_CLOSE = 1e-6
# What is that close as a whole is nowhere off by more than this share of its largest number.
_FAR = 1e-3


def holding_part(
    wrong: Tensor, right: Tensor | None, steps: Sequence[Step], others: Sequence[Tensor] = ()
) -> Step | None:
    """The first step that holds a part of `wrong` which differs from the same part of `right`.

    One that `right` has as another part, such as another head's keys, may still be right there;
    where there is nothing to compare with, so may one that any of the others has.
    """
    comparable = right is not None and right.shape == wrong.shape
    rights = others if right is None or not comparable else (right,)
    left = iter(range(_MOST))
    for step in steps:
        marks = (mark for mark in step.marks if mark.dim() > 1)
        for held in (*step.values, *marks):
            if held.numel() < _FEW or held.numel() >= wrong.numel() or not _reaches(wrong, held):
                continue
            place, largest = _largest(held)
            parts = _parts(wrong, right if comparable else None, held)
            for (mine, other), _ in zip(parts, left, strict=False):
                # Of some hundred parts all but a few are told apart by one number.
                off = abs(float(mine[place]) - largest) if held.is_floating_point() else 0.0
                if off > _FAR * abs(largest):
                    continue
                differs = other is None or not alike(mine, other, _CLOSE)
                if differs and _equal(held, mine) and not any(_has(one, held) for one in rights):
                    return step
    return None


def _largest(held: Tensor) -> tuple[tuple[Tensor, ...], float]:
    """Where a tensor's largest finite number stands, and that number."""
    finite = held.double().nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
    place = torch.unravel_index(finite.abs().argmax(), held.shape)
    return place, float(finite[place])


def _reaches(whole: Tensor, held: Tensor) -> bool:
    """Whether the largest number that a tensor holds is in another: else no part of it is."""
    if not (whole.is_floating_point() and held.is_floating_point()):
        return True
    largest = held.double().nan_to_num(nan=0.0, posinf=0.0, neginf=0.0).abs().max()
    off = (whole.double().abs() - largest).abs()
    return bool((off <= _CLOSE * (1 + largest)).any())


def _has(whole: Tensor, held: Tensor) -> bool:
    return any(_equal(held, part) for part, _ in _parts(whole, None, held))


def _parts(
    wrong: Tensor, right: Tensor | None, held: Tensor
) -> Iterator[tuple[Tensor, Tensor | None]]:
    """Yield the parts of `wrong` that have a tensor's shape, each beside that of `right`."""
    samples = range(wrong.shape[0] if wrong.dim() > 1 else 0)
    if held.numel() * len(samples) == wrong.numel() and held.shape != wrong.shape[1:]:
        # One sample, whose heads are taken apart, or put together.
        for at in samples:
            other = None if right is None else right[at].reshape(held.shape)
            yield wrong[at].reshape(held.shape), other
    for mine, other in _forms(wrong, right, wrong.dim() - held.dim()):
        shorter = [axis for axis in range(held.dim()) if held.shape[axis] != mine.shape[axis]]
        if not shorter:
            yield mine, other
        elif len(shorter) == 1 and held.shape[shorter[0]] < mine.shape[shorter[0]]:
            axis, size = shorter[0], held.shape[shorter[0]]
            for start in range(mine.shape[axis] - size + 1):
                piece = mine.narrow(axis, start, size)
                yield piece, None if other is None else other.narrow(axis, start, size)


def _forms(
    wrong: Tensor, right: Tensor | None, gone: int
) -> Iterator[tuple[Tensor, Tensor | None]]:
    """Yield a tensor with so many leading axes less: folded into one, or picked one by one."""
    if gone == 0:
        yield wrong, right
    elif gone == 1 and wrong.shape[-1] == 1:
        # What was reduced along the last axis, without `keepdim`.
        yield wrong.squeeze(-1), None if right is None else right.squeeze(-1)
    elif gone > 0:
        yield wrong.flatten(0, gone), None if right is None else right.flatten(0, gone)
        picked = wrong.flatten(0, gone - 1)
        for place in range(picked.shape[0]):
            yield picked[place], None if right is None else right.flatten(0, gone - 1)[place]


def _equal(held: Tensor, part: Tensor) -> bool:
    if held.is_floating_point() and part.is_floating_point():
        return bool(torch.isfinite(part).any()) and alike(part, held, _CLOSE)
    if held.is_floating_point() or part.is_floating_point():
        return False
    shown = part != 0
    return torch.equal(held != 0, shown) or torch.equal(held == 0, shown)
