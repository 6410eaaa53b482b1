"""How much a call that goes on with another is made of: its new positions, or all of them again."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ...kata.arithmetic import worth
from ..process.answers import Step
from .examine import Examination
from .rules import Breach
from .weighing import Weighing
from .weights.takes import Shapes

__all__ = ["fed_again"]


def fed_again(one: Examination) -> Iterator[Breach]:
    """Yield the layers that are given more rows than a call has new positions."""
    text = one.function.memory.rows
    if not text or not isinstance(one, Weighing):
        return
    for trial in one.seen:
        if not (trial.group and trial.given.carried):
            continue
        shapes, most = one.held.kind(trial.case.sizes).shapes, worth(text, trial.case.scope())
        for step in trial.answer.steps:
            rows = _rows(step, shapes)
            if rows > most:
                yield Breach(
                    key="direct-again", mistake="cache-recomputed", line=step.line,
                    values={"call": step.spelt or step.call, "rows": rows, "most": most,
                            "sum": text},
                )  # fmt: skip


def _rows(step: Step, shapes: Shapes) -> int:
    """How many rows a call gives to a weight, 0 where it has none.

    A row is as long as what the two have in common: of (batch, length, in) and (out, in), `in`.
    Where a length happens to be a weight's size too, fewer are counted.
    """
    weights = [shapes[name] for name in step.weights if name in shapes]
    given = [tuple(shape) for shape in step.shapes]
    for one in weights:
        if one in given:
            given.remove(one)
    # Of three that one einsum joins it cannot be told which two meet first.
    if not weights or len(given) > 1:
        return 0
    # Of a layer's weight and its bias the weight says how long a row is.
    rows = (min(prod(one) // prod({*one} & {*weight}) for weight in weights) for one in given)
    return next(rows, 0)
