"""Which step of a trace holds a tensor of the model answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import torch
from torch import Tensor

from ..judge.given import Given
from ..process.answers import Step
from .milestones import HIDDEN, alike, find

__all__ = ["as_it_lies", "holding", "laid", "misplaced", "moved", "same_numbers", "stacked"]

# Two runs of the model answer differ by rounding alone.
_SAME = 1e-9
# What went through a lower precision is still the same.
_ROUNDED = 1e-6
# Calls that take one of what is stacked out of it.
_OUT = {"getitem", "select", "unbind"}
# Of more axes there are too many orders.
_MOST_AXES = 5


def holding(value: Tensor, steps: Sequence[Step], given: Given) -> Step | None:
    """The first step that holds a tensor's values, in any layout.

    Where they are an argument's own, moved about, every step may hold them in some layout, and
    only one that holds them in this very layout counts.
    """
    if value.is_floating_point() and any(moved(value, one) for one in given.tensors.values()):
        return as_it_lies(value, steps)
    if value.dim() > 1 and value.shape[-1] > 1 and bool(((value == 0) | (value == 1)).all()):
        # What masks are made of shows all, or nothing: a mask that does is looked for from the end.
        even = value.dtype is torch.bool and len(value.unique()) < 2
        return _drawing(value != 0, steps[::-1] if even else steps)
    if value.is_floating_point():
        held = find(value, list(steps))
        if held is None and value.dim() > 3:
            # A loop along the length holds one position at a time.
            held = find(value.select(2, -1), list(steps))
        return held
    wanted = value.to(torch.int64).flatten()
    many = [(s, held.flatten()) for s in steps for held in s.marks if held.numel() == len(wanted)]
    # Small numbers are soon others in another order.
    exact = next((step for step, held in many if torch.equal(held, wanted)), None)
    ranked = wanted.sort().values
    moved_about = (step for step, held in many if torch.equal(held.sort().values, ranked))
    return exact or next(moved_about, None)


def as_it_lies(value: Tensor, steps: Sequence[Step]) -> Step | None:
    """The first step that holds a tensor in this very layout."""
    return next((step for step in steps if _as_it_is(value, step)), None)


def misplaced(value: Tensor, step: Step) -> bool:
    """Whether a step has a tensor's entries in its very shape, and in no order of its axes."""
    held = [one for one in step.values if one.shape == value.shape]
    if not held or value.dim() > _MOST_AXES or find(value.flatten(), [step]) is None:
        return False
    orders = [value.permute(axes) for axes in permutations(range(value.dim()))]
    return not any(_same_as_it_lies(_shown(one), _shown(way)) for one in held for way in orders)


def _shown(tensor: Tensor) -> Tensor:
    """The same, but for what hides a score."""
    return torch.where(tensor < HIDDEN, torch.zeros((), dtype=tensor.dtype), tensor)


def laid(value: Tensor, steps: Sequence[Step]) -> Step | None:
    """The last step that holds a tensor as it lies; where none does, with axes of one aside."""
    exact = as_it_lies(value, steps[::-1])
    lying = value.squeeze()
    nearly = (
        step for step in reversed(steps)
        if any(_same_as_it_lies(one.squeeze(), lying) for one in step.values)
    )  # fmt: skip
    return exact or next(nearly, None)


def stacked(step: Step, steps: Sequence[Step]) -> Step:
    """The first step that holds among others, along an axis, what a step takes out; else itself."""
    if step.call.strip("_") not in _OUT:
        return step
    before = steps[: next(at for at, one in enumerate(steps) if one is step)]
    taken = [value for value in step.values if value.numel() > 1]
    many = (one for one in before if any(_stacks(v, taken) for v in one.values))
    return next(many, step)


def _stacks(whole: Tensor, taken: Sequence[Tensor]) -> bool:
    """Whether a tensor has all of some along one of its axes."""
    for axis in range(whole.dim()):
        rest = (*whole.shape[:axis], *whole.shape[axis + 1 :])
        if taken and all(one.shape == rest for one in taken):
            parts = whole.unbind(axis)
            if all(any(torch.equal(one, part) for part in parts) for one in taken):
                return True
    return False


def moved(value: Tensor, argument: Tensor) -> bool:
    """Whether a tensor is made of an argument's entries, each once."""
    if not argument.is_floating_point() or value.numel() != argument.numel() or value.numel() < 2:
        return False
    return torch.equal(value.flatten().sort().values, argument.flatten().sort().values)


def same_numbers(left: Tensor, right: Tensor) -> bool:
    """Whether two runs of the model answer name the same here."""
    if left.dtype.is_floating_point != right.dtype.is_floating_point:
        return False
    # Most are alike to the last bit, and this is soon said.
    return torch.equal(left, right) or alike(left, right, _SAME)


def _as_it_is(value: Tensor, step: Step) -> bool:
    if not value.is_floating_point():
        return any(torch.equal(held, value) for held in step.marks)
    return any(_same_as_it_lies(held, value) for held in step.values)


def _same_as_it_lies(held: Tensor, value: Tensor) -> bool:
    return alike(held, value, _ROUNDED)


def _drawing(shown: Tensor, steps: Sequence[Step]) -> Step | None:
    """The first step that holds a mask or its opposite, as ones, booleans or what is added.

    One that shows all, or nothing, is none of numbers of several sizes, which are no mask.
    """
    even = len(shown.unique()) < 2
    for step in steps:
        for held in (*step.marks, *step.values):
            flat = _plane(held, shown)
            if flat is None or (even and flat.is_floating_point() and not _two(flat)):
                continue
            # Whole numbers are not added: they are places, and all above what hides.
            for seen in (flat != 0, flat > HIDDEN) if flat.is_floating_point() else (flat != 0,):
                if torch.equal(seen, shown) or torch.equal(~seen, shown):
                    return step
    return None


def _two(flat: Tensor) -> bool:
    """Whether a tensor holds one number or two, as a mask does."""
    return len(flat.unique()) <= 2


def _plane(held: Tensor, shown: Tensor) -> Tensor | None:
    """A mask in another's shape; one that is the same for every sample and head, as one of it."""
    if held.dim() < 2:
        return None
    if held.numel() == shown.numel():
        return held.reshape(shown.shape)
    if shown.dim() > 2 or held.shape[-2:] != shown.shape:
        return None
    planes = held.reshape(-1, *shown.shape)
    return planes[0] if bool((planes == planes[:1]).all()) else None
