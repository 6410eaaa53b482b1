"""Where entries are first seen as what they are not: a view that takes heads apart wrongly."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from ..process.answers import Step
from .holding import as_it_lies, same_numbers
from .milestones import find

__all__ = ["cut_apart"]

# Calls that cut an axis into two, or take two for one.
_CUTS = {"view", "reshape", "unflatten", "flatten", "chunk", "split"}


def cut_apart(
    name: str, names: Sequence[str], right: dict[str, Tensor], wrong: dict[str, Tensor],
    steps: Sequence[Step],
) -> Step | None:  # fmt: skip
    """Where a submission has entries as `wrong` lays them under a name, and `right` elsewhere.

    names: what differs, in its order. None where it has them as `right` does: it is another's then.
    """
    value = wrong[name]
    if as_it_lies(right[name], steps) is not None and as_it_lies(value, steps) is None:
        return None
    cuts = [step for step in reversed(steps) if step.call in _CUTS]
    # One head of it is some head of the right one too, and tells nothing.
    found = _viewed(value, names, wrong, steps) or find(value.flatten(), cuts)
    return found or find(value.flatten(), list(steps))


def _viewed(
    value: Tensor, names: Sequence[str], wrong: dict[str, Tensor], steps: Sequence[Step]
) -> Step | None:
    """The step that first has, as it lies, what stays in its order or is made of it."""
    in_order = value.flatten()
    if not any(same_numbers(one.flatten(), in_order) for step in steps for one in step.values):
        return None
    # Its first axes may be one.
    folded = as_it_lies(value.flatten(0, -3), steps[::-1]) if value.dim() > 3 else None
    made = (as_it_lies(wrong[each], steps) for each in names if wrong[each].numel() > 1)
    return folded or next(filter(None, made), None)
