"""Which step of a call writes into what it was given."""

from __future__ import annotations

from ..diagnose.lines import in_place
from ..process.answers import Step
from .examine import Examination

__all__ = ["writing"]


def writing(one: Examination) -> Step | None:
    """The first step that changes a tensor as large as an argument that a call wrote to.

    Else the first that changes any, which may be one of the call's own.
    """
    trial = next((each for each in one.tried if each.answer.modified), None)
    again = [] if trial is None else one.again(trial).answer.steps
    given = [] if trial is None else [
        tensor for name, tensor in trial.given.tensors.items() if name in trial.answer.modified
    ]  # fmt: skip
    for tensor in given:
        held = "values" if tensor.is_floating_point() else "marks"
        alike = [
            step for step in again
            if any(each.numel() == tensor.numel() for each in getattr(step, held))
        ]  # fmt: skip
        if (found := in_place(alike)) is not None:
            return found
    return in_place(again) or in_place([s for each in one.seen for s in each.answer.steps])
