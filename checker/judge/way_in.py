"""How an object of a class is made and called, and what its weights are at each size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from ...kata.arithmetic import worth
from ...kata.functions import choices
from ..process.answers import Try
from ..process.requests import Attempt, Describe
from .aligning import align, guess
from .case import Case
from .draw import small
from .find import Bound, ways
from .forwarding import bounds
from .mask_forms import settle
from .objects import Construction, constructions, how_far
from .switches import spare
from .trials import Finding, Trial, by_dtype
from .weights.held import Held, Kind

if TYPE_CHECKING:
    from .weighing import Weighing

__all__ = ["way_in"]

# How many ways to make and call a class are tried before its first is taken as meant.
_WAYS = 4


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to make and call the object. left: how far it is from what is meant, 0 for right."""

    construction: Construction
    bound: Bound
    trial: Trial
    shown: Try

    @property
    def left(self) -> int:
        return how_far(self.shown)


def way_in(one: Weighing) -> Finding | None:
    """Find the way to make and call the object; return what the plainest call raised."""
    case = next(small(one.function, one.sizes, mask=one.function.needs_mask))
    one.mask_dtypes = [torch.bool]
    tried = _tried(one, case)
    if not tried:
        return None
    likeliest = min(tried, key=lambda way: way.left)
    _take(one, likeliest)
    shown = likeliest.shown
    if shown.fault is not None:
        return Finding(kind="raised", trial=likeliest.trial, fault=shown.fault)
    if likeliest.left == 2:
        container = str(shown.answer.container)
        return Finding(kind="none", trial=likeliest.trial, words=container)
    _align(one, case, [way for way in tried if not way.left] or [likeliest])
    spare(one, case)
    settle(one)
    return None


def _align(one: Weighing, case: Case, fitting: Sequence[_Way]) -> None:
    """Take the first way in which the weights are told apart, the first of all if it is none."""
    trials: list[Trial] = []
    for way in fitting:
        trials = _ready(one, case, way)
        if align(one, trials):
            return
    likeliest = fitting[0]
    stills = [*_with_still(one, case, likeliest)]
    if any(align(one, _ready(one, case, way)) and _all_used(one, case, way) for way in stills):
        return
    if likeliest.shown.frozen:
        # Beside a mistake, what is frozen may be a weight as well.
        guess(one, _ready(one, case, stills[0]))
        if one.held.explained and _all_used(one, case, stills[0]):
            return
    alone = not stills and len(fitting) == 1
    guess(one, trials if alone else _ready(one, case, likeliest))


def _with_still(one: Weighing, case: Case, way: _Way) -> Iterator[_Way]:
    """Yield the same way with what does not learn as weights: what is frozen, and all of it."""
    frozen, every = way.shown.frozen, (*way.shown.frozen, *way.shown.plain)
    for still in dict.fromkeys((tuple(frozen), every)):
        if still:
            yield _shown(one, case, replace(way.construction, still=still), way.bound)


def _all_used(one: Weighing, case: Case, way: _Way) -> bool:
    """Keep to what is used of that which does not learn; say whether it is any."""
    still = way.construction.still
    used = tuple(name for name in still if name not in one.held.unused)
    if not used or used == still:
        return bool(used)
    reading, explained = one.held.reading, one.held.explained
    fewer = _shown(one, case, replace(way.construction, still=used), way.bound)
    trials = _ready(one, case, fewer)
    if not explained:
        return align(one, trials)
    one.held.reading, one.held.explained = reading, True
    return True


def _tried(one: Weighing, case: Case) -> list[_Way]:
    """Ways that were tried: the first that is right, or some of a contract's."""
    tried: list[_Way] = []
    made = constructions(one.module, one.entry, one.kata.promised, one.globals)
    for construction, bound in [(each, bound) for each in made for bound in _ways(one)]:
        tried.append(_shown(one, case, construction, bound))
        right = [way for way in tried if not way.left]
        if right and (one.kata.promised is None or len(right) == _WAYS):
            break
    return tried


def _ways(one: Weighing) -> Iterator[Bound]:
    contract = one.kata.promised
    if contract is None:
        return ways(one.function, one.entry)
    return bounds(one.function, one.entry, contract)


def _shown(one: Weighing, case: Case, construction: Construction, bound: Bound) -> _Way:
    """Make and call the object in one way, and see what it holds."""
    one.take(construction, bound)
    trial = one.trial(case, torch.float32)
    return _Way(construction, bound, trial, _described(one, [trial])[0])


def _take(one: Weighing, way: _Way) -> None:
    one.take(way.construction, way.bound)
    one.shown = way.shown


def _ready(one: Weighing, case: Case, way: _Way) -> list[Trial]:
    """Know the shapes of the weights in one way to make it, and the dtype that it runs in.

    Return its first calls.
    """
    _take(one, way)
    one.held = Held(one.module, one.sizes, one.generator)
    one.found.work, one.found.refused = torch.float64, None
    _survey(one)
    trial = one.trial(case)
    finding = trial.judge(one.run([trial])[0])
    if finding and finding.kind == "raised" and by_dtype(finding):
        # Values are decided in float32 where the code does not run in float64.
        one.found.work, one.found.refused = torch.float32, finding.fault
    return one.first_calls()


def _described(one: Weighing, trials: Sequence[Trial]) -> list[Try]:
    recipes = [one.recipe_at(trial.case.sizes) for trial in trials]
    tries = [
        Attempt(recipe=recipe, call=trial.call)
        for recipe, trial in zip(recipes, trials, strict=True)
    ]
    return one.candidate.ask(Describe(tries=tries)).answers


def _survey(one: Weighing) -> None:
    """Ask for the shapes of the weights at every size."""
    chosen = choices(one.function)[0]
    kind = "random" if one.function.needs_mask else None
    far = one.sizes.but(one.function.counted)
    cases = {
        one.held.key(row): Case(check="values", sizes=row, chosen=chosen, mask=kind)
        for row in (far, *one.sizes.large_rows(), *one.sizes.rows())
    }
    trials = [_unanswered(one, case) for case in cases.values()]
    for key, answer in zip(cases, _described(one, trials), strict=True):
        shapes = answer.registered | answer.hidden
        one.held.kinds[key] = Kind(shapes={n: tuple(s) for n, s in shapes.items()})


def _unanswered(one: Weighing, case: Case) -> Trial:
    """Write a case's call, for which nothing is worked out but the shapes of its results."""
    shapes = [[worth(axis, case.scope()) for axis in each.shape] for each in one.function.results]
    trial = Trial(
        function=one.function, case=case, given=one.drawn(case), bound=0.0,
        expected=tuple(torch.empty(shape) for shape in shapes), dtype=torch.float32,
    )  # fmt: skip
    one.write(trial)
    return trial
