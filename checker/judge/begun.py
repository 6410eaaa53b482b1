"""Which weights do not begin as the kata says, such as a norm's gain at 1."""

from __future__ import annotations

from ..process.requests import Attempt, Describe
from .weighing import Weighing

__all__ = ["misbegun"]


def misbegun(one: Weighing) -> dict[str, float]:
    """The parameters that hold weights which begin otherwise, with the number asked for.

    As they are read: a gain that is stored less 1 begins at 0.
    """
    asked = {each.name: each.begins for each in one.module.own if each.begins is not None}
    trial = next(iter(one.plain_trials()), None) if asked else None
    if trial is None or one.construction is None:
        return {}
    recipe = one.construction.recipe(trial.case.sizes)
    attempt = Attempt(recipe=recipe, call=trial.call)
    (made,) = one.candidate.ask(Describe(tries=[attempt], values=True)).answers
    begun = one.held.read(made.values, trial.case)
    return {
        name: number
        for layer, number in asked.items()
        if f"{layer}.weight" in begun and bool((begun[f"{layer}.weight"] != number).any())
        for name in sorted(one.held.holders([layer]))
    }
