"""Several mistakes in one function, peeled off one after another from where its steps depart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.slips import Edit, Slip
from ..judge.trials import Trial
from ..judge.truth import FAULTS, answers, made
from .holding import holding
from .pointing import same_numbers
from .tried import Tried

__all__ = ["chained"]

_Option = tuple[Slip, Edit]
# How many mistakes a chain has at most, and how many ways are followed at each.
_DEEPEST, _WIDEST = 5, 3


def chained(
    tried: Tried, likely: Sequence[_Option], evidence: Sequence[Trial], below: tuple[Edit, ...]
) -> Iterator[list[_Option]]:
    """Yield chains of two mistakes or more that explain the evidence.

    Each next one is an edit after which the first step that the trace did not hold is one that it
    holds. below: the mistakes of functions that this one calls.
    """
    trial = next((one for one in evidence if one.answer.steps), None)
    if trial is None:
        return
    chains: list[list[_Option]] = [[]]
    for depth in range(1, _DEEPEST + 1):
        longer = [
            [*chain, option]
            for chain in chains
            for option in _next(tried.kata, tried.name, chain, likely, trial, below)
        ]
        for chain in longer if depth > 1 else ():
            if tried.explains((*below, *(edit for _, edit in chain)), evidence):
                yield chain
        chains = longer[: _WIDEST * 2]


def _next(
    kata: Kata,
    name: str,
    chain: Sequence[_Option],
    likely: Sequence[_Option],
    trial: Trial,
    below: tuple[Edit, ...],
) -> list[_Option]:
    """The mistakes by which a chain comes further than its departure."""
    edits = (*below, *(edit for _, edit in chain))
    right = _named(kata, name, edits, trial)
    departure = next((n for n, value in right.items() if not _held(value, trial)), None)
    if departure is None:
        return []
    found: list[tuple[int, _Option]] = []
    for slip, edit in likely:
        if slip.id in {other.id for other, _ in chain}:
            continue
        wrong = _named(kata, name, (*edits, edit), trial)
        changed = [n for n in right if n in wrong and not same_numbers(right[n], wrong[n])]
        if departure in changed and _held(wrong[departure], trial):
            later = list(wrong)[list(wrong).index(departure) :]
            found.append((sum(_held(wrong[n], trial) for n in later[:_DEEPEST]), (slip, edit)))
    found.sort(key=lambda pair: -pair[0])
    return [option for _, option in found[:_WIDEST]]


def _named(kata: Kata, name: str, edits: tuple[Edit, ...], trial: Trial) -> dict[str, Tensor]:
    """The floats that the model answer names with some edits, in the order in which it does."""
    functions = answers(kata, edits)
    if functions is None:
        return {}
    try:
        with torch.no_grad():
            done = made(kata, functions[name], trial.posed, whole=False, ordered=True)
    except FAULTS:
        return {}
    return {n: v for n, v in done.steps.items() if v.is_floating_point() and v.numel() > 1}


def _held(value: Tensor, trial: Trial) -> bool:
    return holding(value, trial.answer.steps, trial.given) is not None
