"""Whether a model that is made with a layer more has more weights."""

from __future__ import annotations

import math
from dataclasses import replace

from ..process.requests import Attempt, Describe
from ..vocabulary import constructor_role
from .weighing import Weighing

__all__ = ["shares_layers"]


def shares_layers(one: Weighing) -> bool:
    """Whether one and the same layer stands for all: with one more the weights stay as many."""
    made = one.construction
    # A depth that the sizes give says which layer this is.
    deep = {
        each.name
        for each in one.module.settings
        if each.value.isdigit() and constructor_role(each.name) == "layers"
    }
    told = made is not None and (made.configured or deep & {each for *_, each in made.arguments})
    trial = next(iter(one.plain_trials()), None) if deep and told else None
    if made is None or trial is None:
        return False
    settings = tuple(
        replace(each, value=f"{each.value} + 1") if each.name in deep else each
        for each in one.module.settings
    )
    deeper = replace(made, module=replace(one.module, settings=settings))
    recipes = (each.recipe(trial.case.sizes) for each in (made, deeper))
    tries = [Attempt(recipe=recipe, call=trial.call) for recipe in recipes]
    few, many = one.candidate.ask(Describe(tries=tries)).answers
    sizes = [sum(map(math.prod, each.registered.values())) for each in (few, many)]
    return many.phase == "done" and sizes[1] <= sizes[0]
