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
        # A mask may have been handed over in another dtype than it was drawn in.
        alike = [
            step for step in again
            if any(each.numel() == tensor.numel() for each in (*step.values, *step.marks))
        ]  # fmt: skip
        # What wrote to memory of the call's own is none.
        found = in_place([step for step in alike if not step.fresh]) or in_place(alike)
        if found is not None:
            return found
    return in_place(again) or in_place([s for each in one.seen for s in each.answer.steps])
