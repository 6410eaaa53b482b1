"""Where a gradient is cut off: the line at which following it makes the gradients right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..process.answers import Outcome
from ..process.requests import Record
from .examine import Examination
from .trials import Trial

__all__ = ["cut_at"]

_MOST = 8


def cut_at(one: Examination, trial: Trial) -> tuple[list[int], bool] | None:
    """The lines of the first call that cuts the gradient off, its own first; None where none does.

    What makes gradients right when it is followed is what cut them, whatever it is written as. One
    that may be cut, of the maximum that a softmax takes off, is not among them. And whether it is
    this line alone: what is turned off elsewhere is cut wherever it is used.
    """
    plain = _made(one, trial, None)
    calls = {step.line: step.lines for step in plain.steps if step.cut and step.line is not None}
    if not calls or not _right(one, trial, ()):
        return None
    alone = (line for line in [*calls][:_MOST] if _right(one, trial, [line]))
    found = next(alone, None)
    return calls[next(iter(calls)) if found is None else found], found is not None


def _right(one: Examination, trial: Trial, follow: Sequence[int]) -> bool:
    return replace(trial).judge(_made(one, trial, follow)) is None


def _made(one: Examination, trial: Trial, follow: Sequence[int] | None) -> Outcome:
    """Make a call once more, followed at some lines, at all where there are none."""
    other = replace(trial)
    one.write(other, Record(follow=follow), grad=trial.call.grad)
    return one.run([other], trial.dtype)[0]
