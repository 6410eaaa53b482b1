"""What is timed of functions, and of classes with weights or state: the calls of a length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from ...kata.catalogue import Kata
from ...kata.functions import Function, choices
from ..process.requests import Timed
from ..report.timings import Timings
from .case import Case, spoken
from .examine import Examination
from .subject import Posed, Subject

__all__ = ["subject_of"]

# What an axis is worth where it is not the length, by its name; others have their first size.
_WORTH = {
    "batch": 1, "heads": 4, "kv_heads": 2, "group_size": 2, "repeats": 2, "head_dim": 32,
    "value_dim": 32, "pairs": 16, "hidden_dim": 128, "latent_dim": 32, "window": 64,
    "block_size": 64,
}  # fmt: skip
_LENGTHS = ("length", "query_length", "key_length", "classes")


def subject_of(kata: Kata, examinations: Sequence[Examination]) -> Subject:
    """All functions that the kata has timed, or its class."""
    timed = [one for one in examinations if one.function.name in kata.timed or one.function.module]
    functions = [one.function for one in timed]
    here, axes = _sizes(kata, 0), kata.asked.sizes.axes
    used = set().union(*(spoken(function) for function in functions))
    named = {axes[symbol]: size for symbol, size in here.items() if symbol in used}
    sizes = {name: size for name, size in named.items() if name not in _LENGTHS}
    told = Timings(
        hidden_dim=sizes.get("hidden_dim", 0),
        heads=sizes.get("heads", 0),
        functions=[one.name for one in functions if one.module is None],
        fused=bool(kata.fused),
        whole=any(one.state is not None for one in functions),
        masked=any(one.needs_mask for one in functions),
        sizes=sizes,
        grows=[name for name in named if name in _LENGTHS],
    )

    def posed(length: int, draw: torch.Generator) -> Posed:
        row = _sizes(kata, length)
        mine: list[Timed] = []
        calls: list[dict[str, dict[str, Any]]] = []
        settings: dict[str, Any] = {}
        for one in timed:
            given, call = one.posed(_plainest(one.function, row), draw)
            mine.append(Timed(recipe=one.recipe_at(row), call=call))
            tensors = {
                name: tensor.float() if tensor.is_floating_point() else tensor
                for name, tensor in given.tensors.items()
            }
            calls.append({one.function.name: replace(given, tensors=tensors).handed})
            settings = given.settings
        return Posed(mine=mine, settings=settings, calls=calls)

    return Subject(kata=kata, told=told, posed=posed)


def _plainest(function: Function, row: dict[str, int]) -> Case:
    """A case with the usual choices, and no mask, or one that hides nothing."""
    mask = "full" if function.needs_mask else None
    return Case(check="", sizes=row, chosen=choices(function)[0], mask=mask)


def _sizes(kata: Kata, length: int) -> dict[str, int]:
    sizes = kata.asked.sizes
    named = {symbol: (sizes.axes[symbol], many[0]) for symbol, many in sizes.values.items()}
    return sizes.row({
        symbol: length if name in _LENGTHS else _WORTH.get(name, first)
        for symbol, (name, first) in named.items()
    })  # fmt: skip
