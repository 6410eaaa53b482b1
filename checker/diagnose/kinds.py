"""What a traced step does to axes, masks and order, and which step of a kind is the nearest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..process.answers import Step
from .expressions import MOVES
from .holding import moved

__all__ = [
    "behind_softmax", "casts", "compared", "first", "flips", "folded_by", "in_floats", "joins",
    "laid_out", "made_bool", "moved_by", "moves", "nearest", "ors", "rounds", "rounds_far", "sorts",
    "spreads", "turned",
]  # fmt: skip

# Calls that take a variance, or its root.
_SPREADS = {"var", "std", "var_mean", "std_mean"}
# Calls that set some entries to 0.
_ZEROING = {"masked_fill", "where", "mul", "rmul", "imul", "multiply", "nan_to_num"}
# Calls that bring an axis of heads into another one.
_FOLDS = {"reshape", "view", "flatten", "repeat", "repeat_interleave", "tile", "cat"}
# Calls that give what they make an order of axes of their own.
_ORDERS = {"stack", "einsum", "tensordot"}
# Calls that make one mask of two.
_ORS = {"or", "ior", "logical_or", "bitwise_or"}
# Calls that give a mask its axes, and those that may take a part of it.
_PICKS = {"getitem", "select", "narrow", "index_select", "take"}
_LAYS = {*_PICKS, "unsqueeze", "view", "reshape", "unflatten", "expand", "broadcast_to"}
_JOINS = {"maximum", "max", "add", "and", "iand", "logical_and", "bitwise_and"}
# The whole number behind which a dtype leaves some out. No place is as large as what is filled in.
_WHOLE, _FILLS = {"bfloat16": 256, "float16": 2048}, 1e4


def ors(step: Step) -> bool:
    """Whether a step makes one mask of two that hide."""
    return step.call.strip("_") in _ORS and bool(step.marks)


def joins(step: Step) -> bool:
    """Whether a step makes one mask of two, in whichever way."""
    return step.call.strip("_") in _JOINS and bool(step.marks)


def moves(step: Step) -> bool:
    """Whether a step changes the order of axes."""
    return step.call.strip("_") in MOVES


def compared(step: Step) -> bool:
    """Whether a step asks of each entry whether it is 0."""
    return step.call.strip("_") in {"eq", "ne"} and 0.0 in step.numbers


def flips(step: Step) -> bool:
    """Whether a step flips every bit of whole numbers, which turns no mask round."""
    flipped = step.call.strip("_") in {"invert", "bitwise_not"}
    return flipped and step.dtype != "bool"


def sorts(step: Step) -> bool:
    """Whether a step puts something in order."""
    return step.call in {"argsort", "sort", "unique"}


def made_bool(step: Step) -> bool:
    """Whether a step asks of each entry whether it is anything but 0."""
    return step.call == "bool"


def casts(step: Step) -> bool:
    """Whether a step brings a mask to a dtype of floats, and leaves it at 0 and 1."""
    ones = (bool(((value == 0) | (value == 1)).all()) for value in step.values if value.dim() > 1)
    return step.call in {"to", "type_as", "float", "double", "type"} and any(ones)


def _folds(step: Step) -> bool:
    """Whether a step brings an axis of heads of a mask into another one."""
    hides = any(bool(value.isneginf().any()) for value in step.values)
    return step.call in _FOLDS and (hides if step.values else bool(step.marks))


def turned(step: Step) -> bool:
    """Whether a step swaps the axes of a mask, or lays the keys' padding along the queries."""
    laid = step.call in {"__getitem__", "unsqueeze", "view", "reshape"} and any(
        mark.dim() > 2 and mark.shape[-1] == 1 < mark.shape[-2] for mark in step.marks
    )
    return laid or (moves(step) and not step.values and bool(step.marks))


def rounds(step: Step) -> bool:
    """Whether a step brings places to a dtype of floats that has no room for all of them."""
    return step.dtype in _WHOLE and in_floats(step)


def rounds_far(step: Step) -> bool:
    """Whether a step holds numbers in a dtype of floats that has no place between two of them."""
    least = _WHOLE.get(step.dtype or "", math.inf)
    sizes = (one.abs() for one in step.values if one.numel() > 1)
    return any(bool(((one >= least) & (one < _FILLS)).any()) for one in sizes)


def in_floats(step: Step) -> bool:
    """Whether a step holds places as floats, of which some dtypes have no room for all."""
    return any(one.numel() > 1 and bool((one == one.round()).all()) and float(one.max()) > 1
               for one in step.values)  # fmt: skip


def spreads(step: Step) -> bool:
    """Whether a step takes a variance, or its root."""
    return step.call.strip("_") in _SPREADS


def laid_out(step: Step, steps: Sequence[Step]) -> int | None:
    """The line on which the mask behind a step was given its axes, or a part of it was picked."""
    return nearest(step, steps, _picked) or nearest(step, steps, _laid)


def _laid(step: Step) -> bool:
    """Whether a step gives a mask its axes: ones, or what is added, of as many as there are."""
    held = (*step.marks, *step.values)
    shown = all(bool(((one == 0) | (one == 1) | one.isneginf()).all()) for one in held)
    return step.call.strip("_") in _LAYS and bool(held) and shown


def _picked(step: Step) -> bool:
    """Whether a step picks a part of a mask that is one for each sample, or each head."""
    whole = step.shapes[0] if step.shapes else []
    part = math.prod(step.shape or ()) < math.prod(whole)
    return step.call.strip("_") in _PICKS and len(whole) > 2 and part and _laid(step)


def behind_softmax(step: Step, steps: Sequence[Step]) -> int | None:
    """The line of the softmax of which a step sets some entries to 0."""
    softmax = nearest(step, steps, lambda one: one.call == "softmax")
    return softmax if step.call.strip("_") in _ZEROING else None


def nearest(step: Step, steps: Sequence[Step], meant: Callable[[Step], bool]) -> int | None:
    """The line of the last step until this one that is meant, or of the first after it."""
    found = _latest(step, steps, meant) or first(steps, meant)
    return found.line if found is not None else None


def folded_by(step: Step, steps: Sequence[Step]) -> int | None:
    """The line that brought heads of a mask into another axis, before a step: the last."""
    found = _latest(step, steps, _folds)
    return found.line if found is not None else None


def _latest(step: Step, steps: Sequence[Step], meant: Callable[[Step], bool]) -> Step | None:
    """The last step until this one that is meant."""
    place = next(place for place, one in enumerate(steps) if one is step)
    return first([*reversed(steps[: place + 1])], meant)


def moved_by(step: Step, steps: Sequence[Step]) -> int | None:
    """The line that brought what a step holds into its order; the nearest that moves axes else."""
    held = next((one for one in step.values if one.numel() > 1 and not one.is_complex()), None)
    last = next((place for place, one in enumerate(steps) if one is step), -1)
    before = reversed(steps[: last + 1])
    same = [one for one in before if held is not None and any(moved(held, v) for v in one.values)]
    ordering = first(same, lambda one: moves(one) or one.call in _ORDERS)
    return ordering.line if ordering is not None else nearest(step, steps, moves)


def first(steps: Sequence[Step], meant: Callable[[Step], bool]) -> Step | None:
    """The first step that is meant."""
    return next(filter(meant, steps), None)
