"""The lines of a call on which nothing but what the model answer makes as well comes about."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from ..process.answers import Step
from .flow import Flow
from .milestones import find

__all__ = ["lines_as_expected"]


def lines_as_expected(flow: Flow) -> set[int]:
    """Return the lines of which each run ends with a step of the model answer's, in any layout."""
    values = [v for v in flow.right.values() if v.is_floating_point() and v.numel() > 1]

    def right(run: Iterable[Step]) -> bool:
        last = [*run][-1:]
        return any(find(value, last) is not None for value in values)

    found: dict[int, bool] = {}
    for line, run in groupby(flow.trial.answer.steps, lambda step: step.line):
        if line is not None and found.get(line, True):
            found[line] = right(run)
    return {line for line, known in found.items() if known}
