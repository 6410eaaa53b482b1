"""Weights that parameters make together: which they are, and how often what is added counts.

What is added to a matrix, as LoRA adds it, is left out first: the rest is read as any weights are.
How often it counts then is the one thing unknown, and solved for at each size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from math import isnan
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor

from . import budget
from .trials import Trial
from .truth import FAULTS, made
from .weights.bordered import bordered
from .weights.products import Product, Together, products, scaled
from .weights.takes import Reading, Shapes

if TYPE_CHECKING:
    from .weighing import Weighing

__all__ = ["Factored"]

# Seconds of processor time.
_FACTORED = 6.0
# How many readings of weights that are made in one way are tried.
_PLAIN = 60
# With so little of what is added, the output is as good as linear in it.
_LITTLE = 1e-3
_STEPS = 8
_ROUNDING, _NOTHING = 1e-12, 1e-7


class Search(Protocol):
    """The readings of weights as they are made now."""

    def readings(self) -> Iterator[Reading]:
        """Yield them, the likeliest first."""
        ...

    def gives(self, reading: Reading, trial: Trial, model: Any) -> bool:
        """Whether a model answer gives what the submission gave."""
        ...


class Factored:
    """How parameters of one submission make weights together.

    search: reads the weights as they are made at the time. again: makes the calls by whose answers
    they are told. most: how many readings are tried of weights that are made in one way.
    """

    def __init__(
        self, one: Weighing, search: Callable[[], Search], again: Callable[[], Sequence[Trial]], *,
        most: int = _PLAIN,
    ) -> None:  # fmt: skip
        self.one, self.search, self.again, self.most = one, search, again, most

    def reading(self, trials: Sequence[Trial]) -> Reading | None:
        """Find a reading under which the model answer gives what was answered in all trials."""
        with suppress(budget.Spent), budget.limited(_FACTORED):
            for ways in chain(self._products(), self._bordered()):
                found = self._read(ways, trials, [self.one.right])
                if found is not None:
                    return found
        self.one.held.products = ()
        return None

    def likeliest(self, edited: Callable[[], Sequence[Any]]) -> tuple[Together, ...]:
        """How parameters make weights together, if they do: as is right, or with one mistake.

        edited: the model answer, once with each mistake.
        """
        ways = [*self._products()]
        if len(ways) < 2 and not any(map(_added, chain(*ways))):
            return ways[0] if ways else ()
        with suppress(budget.Spent), budget.limited(_FACTORED):
            trials = self.again()
            for models in ([self.one.right], edited()):
                for each in ways:
                    if self._read(each, trials, models) is not None:
                        return self.one.held.products
        return ways[0]

    def _read(
        self, ways: tuple[Together, ...], trials: Sequence[Trial], models: Sequence[Any]
    ) -> Reading | None:
        """Read weights that are made so, and take it that they are."""
        self.one.held.products = ways
        if not any(map(_added, ways)):
            return next((way for one in models if (way := self._first(trials, one))), None)
        with self.one.held.sharing(0.0):
            bare = self.again()
            found = ((way, one) for one in models if (way := self._first(bare, one)))
            reading, model = next(found, (None, None))
        if reading is None:
            return None
        with self.one.held.sharing(_LITTLE):
            little = self.again()
        for together in self._together(ways):
            counted = _Counts(self.one, reading, model, ways, together).found(little, trials)
            if counted is not None:
                self.one.held.products = counted
                if all(self.search().gives(reading, trial, model) for trial in trials):
                    return reading
        return None

    def _together(self, ways: tuple[Together, ...]) -> list[tuple[int, ...]]:
        """Which of the products that are added count alike, in the ways that are tried.

        Those of one rank, those of one layer in all blocks, and then none: few outputs do not say
        as many numbers.
        """
        _, kinds = self._kinds()
        added = [way for way in ways if isinstance(way, Product) and way.base]
        ranks = [tuple(way.rank(kind) for kind in kinds if kind) for way in added]
        names = [re.sub(r"[0-9]+", "#", way.name) for way in added]
        alone = tuple(range(len(added)))
        return [*dict.fromkeys((_firsts(ranks), _firsts(names), alone))]

    def _first(self, trials: Sequence[Trial], model: Any) -> Reading | None:
        search = self.search()
        return next((
            way for way in islice(search.readings(), self.most)
            if all(search.gives(way, trial, model) for trial in trials)
        ), None)  # fmt: skip

    def _products(self) -> Iterator[tuple[Together, ...]]:
        rows, kinds = self._kinds()
        return products(kinds[0], self.one.module.own, rows, kinds, self.one.linear)

    def _bordered(self) -> Iterator[tuple[Together, ...]]:
        rows, kinds = self._kinds()
        return bordered(kinds[0], self.one.module.own, rows, kinds)

    def _kinds(self) -> tuple[list[dict[str, int]], list[Shapes]]:
        """The sizes, and the shapes of what is held at each."""
        rows = [*self.one.sizes.rows()]
        return rows, [self.one.held.kind(row).shapes for row in rows]


class _Counts:
    """How often products count that are added to matrices.

    together: for each of them, the first that counts as often.
    """

    def __init__(
        self, one: Weighing, reading: Reading, model: Any, ways: tuple[Together, ...],
        together: Sequence[int],
    ) -> None:  # fmt: skip
        self.one, self.reading, self.model, self.ways = one, reading, model, ways
        self.unknowns = sorted({*together})
        self.which = [self.unknowns.index(at) for at in together]

    def found(
        self, little: Sequence[Trial], trials: Sequence[Trial]
    ) -> tuple[Together, ...] | None:
        """Return the products as often as they count by a rule; None where there is none.

        little: trials in which little of what is added counts.
        """
        start = torch.zeros(len(self.unknowns), dtype=torch.float64)
        with self.one.held.sharing(_LITTLE):
            near = [self._times(trial, start) for trial in little]
        shapes = [self.one.held.kind(trial.case.sizes).shapes for trial in trials]
        told: list[tuple[Shapes, Tensor]] = []
        for kind, trial, some in zip(shapes, trials, near, strict=True):
            times = None if some is None else self._times(trial, some)
            if times is None:
                return None
            told.append((kind, times))
        return self._by_rule(told)

    def _by_rule(self, told: Sequence[tuple[Shapes, Tensor]]) -> tuple[Together, ...] | None:
        """The products as often as they count at each size; those unknown as another that is."""
        written = {abs(float(number)) for number in self.one.numbers}
        which = iter(self.which)
        found: list[Product | None] = []
        for way in self.ways:
            if isinstance(way, Product) and way.base:
                at = next(which)
                counts = [(way.rank(kind), float(times[at])) for kind, times in told]
                known = [(rank, times) for rank, times in counts if not isnan(times)]
                found.append(scaled(way, known, written) if known else None)
                if known and found[-1] is None:
                    return None
        rule = next(filter(None, found), None)
        added = iter(found)
        return tuple(
            (next(added) or _ruled(way, rule)) if isinstance(way, Product) and way.base else way
            for way in self.ways
        )

    def _times(self, trial: Trial, start: Tensor) -> Tensor | None:
        """How often each counts in a trial, by Gauss-Newton steps; None where none fits.

        NaN for one that changes nothing, as a query's does at length 1.
        """
        actual = next(iter(trial.results(trial.answer)), None)
        times, acts = start.nan_to_num(), start.isfinite()
        for _ in range(_STEPS):
            here = self._output(trial, times)
            if actual is None or here is None or here.shape != actual.shape:
                return None
            off, changes = (actual.double() - here).flatten(), self._changes(trial, times, here)
            # Of a row that attends to nothing no number is told.
            finite = off.isfinite() & changes.isfinite().all(dim=1)
            if not bool(finite.any()):
                return None
            off, changes = off[finite], changes[finite]
            acts = changes.norm(dim=0) > _NOTHING * changes.norm()
            # Not `lstsq`, which has been seen to give 0 where a column is 0.
            step = torch.linalg.pinv(changes * acts) @ off
            times = times + step * acts
            if bool((step.abs() <= _ROUNDING * times.abs()).all()):
                break
        return times.where(acts, torch.nan)

    def _changes(self, trial: Trial, times: Tensor, here: Tensor) -> Tensor:
        """The output's slopes, (outputs, unknowns), by differences."""
        slopes: list[Tensor] = []
        for at in range(len(times)):
            there = times.clone()
            there[at] += _LITTLE
            beside = self._output(trial, there)
            slopes.append(((here if beside is None else beside) - here).flatten() / _LITTLE)
        return torch.stack(slopes, dim=1)

    def _output(self, trial: Trial, times: Tensor) -> Tensor | None:
        """Call the model answer, with products that count so often."""
        budget.spend()
        held, which = self.one.held, iter(self.which)
        held.products = tuple(
            replace(way, scale=float(times[next(which)]))
            if isinstance(way, Product) and way.base else way for way in self.ways
        )  # fmt: skip
        given = held.lent(trial.given, trial.case, self.reading, loose=False)
        try:
            with torch.no_grad():
                return None if given is None else made(self.model, given).results[0]
        except FAULTS:
            return None
        finally:
            held.products = self.ways


def _added(way: Together) -> bool:
    """Whether it is added to a matrix."""
    return isinstance(way, Product) and bool(way.base)


def _firsts(some: Sequence[object]) -> tuple[int, ...]:
    """For each of several the place of the first that is equal to it."""
    return tuple(map(some.index, some))


def _ruled(way: Product, rule: Product | None) -> Product:
    """The same product, which counts as often as another."""
    return way if rule is None else replace(way, scale=rule.scale, power=rule.power)
