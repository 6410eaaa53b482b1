"""Several mistakes in one function, peeled off one after another from where its steps depart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from ...kata.slips import Edit, Slip
from ..judge.trials import Trial
from .holding import same_numbers
from .tried import Traced, Tried

__all__ = ["chained"]

_Option = tuple[Slip, Edit]
# How many mistakes a chain has at most, how many ways one may go on, and how many are followed.
_DEEPEST, _WIDEST, _BEAM = 5, 3, 2
# How many of the steps that a mistake changes are looked for in a trace.
_LOOKED_FOR = 10


def chained(
    tried: Tried, likely: Sequence[_Option], evidence: Sequence[Trial], base: tuple[Edit, ...]
) -> Iterator[list[_Option]]:
    """Yield chains of two mistakes or more that explain the evidence.

    Each next one is an edit with which the trace of the first call that is not explained holds
    more of the model answer's steps. base: what is edited beside, in what it calls or a variant.
    """
    traced = [one for one in evidence if one.answer.steps]
    chains: list[list[_Option]] = [[]]
    for depth in range(1, _DEEPEST + 1):
        longer: list[tuple[int, int, list[_Option]]] = []
        for chain in chains:
            edits = _edits(base, chain)
            unexplained = (n for n, one in enumerate(traced) if not tried.explains(edits, [one]))
            at = next(unexplained, None)
            if at is not None:
                for option, unheld in _next(tried, chain, likely, traced[at], base):
                    longer.append((-at, unheld, [*chain, option]))
        # The chain of which the traces hold the most is the likeliest.
        longer.sort(key=lambda each: each[:2])
        # The same mistakes in another order are the same.
        apart: dict[frozenset[str], list[_Option]] = {}
        for *_, chain in longer:
            apart.setdefault(frozenset(slip.id for slip, _ in chain), chain)
        chains = [*apart.values()]
        for chain in chains if depth > 1 else ():
            if tried.explains(_edits(base, chain), evidence):
                yield chain
        chains = chains[:_BEAM]


def _edits(base: tuple[Edit, ...], chain: Sequence[_Option]) -> tuple[Edit, ...]:
    return *base, *(edit for _, edit in chain)


def _next(
    tried: Tried, chain: list[_Option], likely: Sequence[_Option], trial: Trial,
    base: tuple[Edit, ...],
) -> list[tuple[_Option, int]]:  # fmt: skip
    """The mistakes with which a trace holds earlier steps, and how many it still does not hold."""
    edits = _edits(base, chain)
    right = tried.traced(edits, trial)
    missing = [name for name in right.steps if not right.holds(name)]
    named = {slip.id for slip, _ in chain}
    begun = [(_begins(tried, base, one[1], trial, missing), one)
             for one in likely if one[0].id not in named]  # fmt: skip
    found: list[tuple[float, bool, int, _Option]] = []
    earliest = math.inf
    for begin, option in sorted(begun, key=lambda each: each[0]):
        if begin == math.inf or begin > earliest:
            break
        wrong = tried.traced((*edits, option[1]), trial)
        changed = islice((name for name in missing if name in wrong.changed), _LOOKED_FOR)
        gained = [name for name in changed if wrong.holds(name)]
        if gained and not wrong.loses(right):
            # What another step is as well, it is where that step is all there is.
            twice = all(_is_another(wrong, name, right) for name in gained)
            first = missing.index(gained[0])
            found.append((first, twice, -len(gained), option))
            earliest = earliest if twice else min(earliest, first)
    found.sort(key=lambda each: each[:3])
    ways = [one for at, *_, one in found[:_WIDEST] if at <= earliest]
    after = [tried.traced((*edits, edit), trial) for _, edit in ways]
    return [
        (one, sum(not each.holds(name) for name in each.steps))
        for one, each in zip(ways, after, strict=True)
    ]


def _begins(
    tried: Tried, base: tuple[Edit, ...], edit: Edit, trial: Trial, missing: list[str]
) -> float:
    """The place of the first of some steps that an edit changes; infinite where it changes none.

    And where it changes one that the trace holds, unless it holds that with the edit too.
    """
    wrong = tried.traced((*base, edit), trial)
    if wrong.loses(tried.traced(base, trial)):
        return math.inf
    return min((at for at, name in enumerate(missing) if name in wrong.changed), default=math.inf)


def _is_another(wrong: Traced, name: str, right: Traced) -> bool:
    """Whether a step is, with an edit, what another is without it that the trace holds."""
    value = wrong.steps[name]
    return any(same_numbers(value, other) for n, other in right.steps.items() if right.holds(n))
