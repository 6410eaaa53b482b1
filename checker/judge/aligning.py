"""Which of a submission's weights is which: readings of them, tried by what they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice
from math import prod
from typing import TYPE_CHECKING, Any

import torch

from ...kata.slips import variants
from . import budget
from .compare import agree
from .draw import small
from .factored import Factored
from .given import Given
from .trials import Trial
from .truth import FAULTS, answers, made, options
from .weights.derived import Derived
from .weights.lying import lying
from .weights.parameter_names import block_of, is_bias, said_by
from .weights.readings import Proposals, readings
from .weights.repeated import repeated
from .weights.shared import shared
from .weights.stacked import numbered
from .weights.takes import Reading
from .weights.united import united

if TYPE_CHECKING:
    from ...kata.modules import Layer
    from .weighing import Weighing

__all__ = ["align", "guess"]

_PLAIN, _RARE = 60, 600
# How many ways to be without some biases are tried of the right answer, and of one with a mistake.
_FORMS, _LIKELY_FORMS = 64, 4
# Two derivatives are one number where they differ by less, in units of the largest: right code
# may take a detour through float32, or run in nothing else.
_CLOSE, _CLOSE_IN_FLOAT32 = 1e-5, 1e-4
_GUESSES = 8
# How many readings of weights that are made in one way are tried where few mistakes show.
_FEW = 4
# Seconds of processor time for the reading that gives the submission's numbers, and for one
# beside a mistake.
_READING, _GUESSING = 30.0, 5.0
# And for readings by names that do not say all of it, before derivatives are taken.
_BY_NAME = 3.0
_LOOKED_AT = 96
# How many readings are kept for what no single mistake explains.
_OTHERS = 8


def align(one: Weighing, trials: Sequence[Trial]) -> bool:
    """Take the first reading under which the model answer gives what was answered in all trials.

    Return whether there is one.

    Where it has a layer that the model answer has not, and is right with, that is the answer.
    """
    search = _Search(one)
    models = [one.right, *search.extended()]
    found = None
    with budget.limited(_READING):
        for seconds, ways in search.ways() if trials else ():
            right = (
                (way, model) for way in ways
                for model in (models if _extends(way, one) else models[:1])
                if all(search.gives(way, trial, model) for trial in trials)
            )  # fmt: skip
            try:
                with budget.limited(seconds):
                    found = next(right, None)
            except budget.Spent:
                search.cut_short = True
            if found is not None:
                break
    if found is None and trials:
        way = Factored(one, partial(_Search, one), one.first_calls).reading(trials)
        found = None if way is None else (way, one.right)
    one.held.aligned = found is not None
    one.held.reading, one.right = found or ((), one.right)
    return one.held.aligned


def guess(one: Weighing, trials: Sequence[Trial]) -> None:
    """Take a reading under which a mistake explains the first call, else the likeliest."""
    search = _Search(one)
    factored = Factored(one, partial(_Search, one), lambda: [search.least()], most=_FEW)
    one.held.products = factored.likeliest(search.edited)
    one.held.reading = _Search(one).guess(trials)


def _extends(reading: Reading | Derived, one: Weighing) -> bool:
    """Whether a reading has a matrix that the model answer has not."""
    extra = {layer.name for layer in one.module.layers if layer.extra and len(layer.shape) > 1}
    return not isinstance(reading, Derived) and any(extra & {*take.layers} for take in reading)


class _Search:
    """The readings of one submission's weights."""

    def __init__(self, one: Weighing) -> None:
        self.one = one
        self.name = one.function.name
        self.settled = one.kata.kind == "program"
        # Whether some of what was to be tried was not.
        self.cut_short = False

    def ways(self) -> Iterator[tuple[float, Iterable[Reading | Derived]]]:
        """Yield what is tried, the likeliest first, each with the seconds that it may take."""
        settled, derived = self.settled, self.derived(self.one.right, _FORMS)
        if settled and self.told:
            # What the names say holds, and derivatives would say no other: but which of very many.
            readings = self.readings()
            yield _READING, islice(readings, _RARE)
            if next(readings, None) is not None:
                yield _READING, self.lying(derived)
            yield _READING, islice(self.readings(turned=True), _PLAIN)
        elif settled:
            yield _BY_NAME, islice(self.readings(), _RARE)
            yield _READING, chain(self.lying(derived), [derived])
            if self.cut_short:
                yield _READING, islice(self.readings(), _RARE)
            yield _READING, islice(self.readings(turned=True), _PLAIN)
        else:
            yield _READING, islice(self.readings(), _PLAIN)
            # One reading for all sizes first: large objects' derivatives take their time.
            yield _READING, chain(self.lying(derived, 1), [derived])
            yield _READING, islice(self.readings(turned=True), _RARE)

    @cached_property
    def told(self) -> bool:
        """Whether it is known of every parameter which layer it holds, or that it is a bias.

        Its name says so, or no other layer of its shape is left in its block. What more say than
        there is of it, as `norm` of each block, is not known.
        """
        layers, first = self.one.module.layers, self.one.held.first
        sizes = self.one.sizes.first()
        called = numbered(first, layers)
        weights = [n for n, shape in first.items() if not is_bias(called[n], len(shape), layers)]
        said = {name: said_by(called[name], layers) for name in weights}
        total = Counter[str]()
        for name, many in said.items():
            total.update(dict.fromkeys(many, prod(first[name]) // max(1, len(many))))
        left = [one for one in layers if one.name not in total]
        found = [
            [one.name for one in left if block_of(one.name) == block_of(called[name])
             and self._fits(name, first[name], one)]
            for name in weights if not said[name]
        ]  # fmt: skip
        return (
            all(total[one.name] <= prod(one.sized(sizes)) for one in layers)
            and all(len(some) == 1 for some in found)
            and len({*map(tuple, found)}) == len(found)
        )

    def _fits(self, name: str, shape: tuple[int, ...], layer: Layer) -> bool:
        """Whether a parameter has a layer's shape, either way round where nothing says which."""
        wanted = layer.sized(self.one.sizes.first())
        return shape == wanted or (name not in self.one.linear and shape[::-1] == wanted)

    def readings(self, *, loose: bool = False, turned: bool = False) -> Iterator[Reading]:
        """Readings by names and shapes; arguments as `weights.readings` has them."""
        one, first = self.one, self.one.sizes.first()
        return readings(
            one.held.first, one.module.layers, first, one.linear,
            symbols=self._symbols, loose=loose, turned=turned,
        )  # fmt: skip

    def shared(self) -> Iterator[Reading]:
        """Readings in which blocks, or all heads, have some of their weights in common."""
        yield from chain(self._common(shared), self._common(repeated))

    def _common(self, ways: Callable[..., Iterator[Reading]]) -> Iterator[Reading]:
        """Readings in which some of the weights are one, in one of the ways to be so."""
        one = self.one
        first = one.sizes.first()
        return ways(one.held.first, one.module.own, first, one.linear, symbols=self._symbols)

    @property
    def _symbols(self) -> list[str]:
        """The sizes in whose number stacked layers may alternate."""
        first = self.one.sizes.first()
        fixed = self.one.module.symbols
        return [symbol for symbol in first if first[symbol] > 1 and symbol in fixed]

    def derived(self, model: Any, forms: int) -> Derived:
        """A reading by what weights do, if this is what the submission computes."""
        one = self.one
        return Derived(
            model=model, layers=one.module.own, objects=one.objects, forms=forms,
            close=_CLOSE if one.found.work is torch.float64 else _CLOSE_IN_FLOAT32,
        )  # fmt: skip

    def lying(self, derived: Derived, most: int | None = None) -> Iterator[Reading]:
        """What derivatives tell at the first size, the first few, as readings for all sizes."""
        one, first = self.one, self.one.sizes.first()
        proposals = Proposals(
            one.held.first, one.module.own, first, one.linear, self._symbols, loose=False
        )
        for places, idle, stored in islice(derived.told(first), most):
            found = lying(places, proposals, idle=idle, stored=stored)
            yield from [] if found is None else [found]

    def extended(self) -> Iterator[Any]:
        """The model answer in the forms in which it is right as well."""
        many = (answers(self.one.kata, (edit,)) for edit in variants(self.one.kata.folder))
        return (found[self.name] for found in many if found is not None)

    def edited(self) -> list[Any]:
        """The model answer, once with each mistake."""
        one = self.one
        edits = [edit for _, edit in options(one.kata, self.name, one.numbers)]
        return [each[self.name] for edit in edits if (each := answers(one.kata, (edit,)))]

    def guess(self, trials: Sequence[Trial]) -> Reading | Derived:
        """Take a reading under which a mistake explains the first call, else the likeliest."""
        one = self.one
        with budget.limited(_BY_NAME):
            strict = [*budget.until_spent(islice(self.readings(), _LOOKED_AT))]
        # What is right at first and goes wrong elsewhere shows which weight is which.
        right = (way for way in strict if trials and self.gives(way, trials[0], one.right))
        with suppress(budget.Spent), budget.limited(_GUESSING):
            first = next(right, None)
            if first is not None:
                one.held.explained = True
                return first
        with suppress(budget.Spent), budget.limited(_GUESSING):
            for way in self.shared() if trials else ():
                if self.gives(way, trials[0], one.right):
                    one.held.explained = True
                    return way
        least = self.least()
        fitting = [way for way in strict if self.gives(way, least, one.right)]
        # What the names plainly say holds, though a mistake may make another fit; how a weight
        # lies they do not say.
        said = [way for way in strict[:1] if self._as_named(way)]
        fits = [way for way in fitting if said and self._as_named(way)]
        said = sorted(fits, key=self._mixed)[:1] or said
        likely = [*dict.fromkeys((
            *said, *(fitting or strict)[:_GUESSES], *islice(self.readings(loose=True), _GUESSES),
        ))]  # fmt: skip
        edited = self.edited()
        one.held.likely = likely[:_OTHERS]
        with suppress(budget.Spent), budget.limited(_GUESSING):
            for reading in likely if trials else ():
                given = one.held.lent(trials[0].given, trials[0].case, reading)
                if any(self._agrees(model, given, trials[0]) for model in edited):
                    one.held.explained = True
                    return reading
            unread = one.plain or said or one.held.products
            for model in () if unread or not trials else edited:
                derived = self.derived(model, _LIKELY_FORMS)
                for way in self.lying(derived) if self.settled else [derived]:
                    if self.gives(way, trials[0], model):
                        one.held.explained = True
                        return way
            ways = self._common(united) if trials else ()
            for way in (each for each in ways if self.gives(each, trials[0], one.right)):
                one.held.explained = True
                return way
        return likely[0] if likely else ()

    def _mixed(self, reading: Reading) -> int:
        """How many weights lie the other way round than most, of those that may lie either way."""
        free = [take for take in reading if take.names[0] not in self.one.linear]
        given = [0 in take.order[take.rows :] for take in free if len(take.order) > 1]
        return min(given.count(True), given.count(False))

    def _as_named(self, reading: Reading) -> bool:
        """Whether every parameter's name says which layers it holds, and in this order."""
        layers = self.one.module.layers
        called = numbered(self.one.held.first, layers)
        said = [said_by(called[take.names[0]], layers) for take in reading]
        return all(
            some == take.layers for some, take in zip(said, reading, strict=True)
            if some or not (self.settled and self.told)
        )  # fmt: skip

    def least(self) -> Trial:
        """Make the smallest call on an object of the first size, where few mistakes show."""
        one = self.one
        key = one.held.key(one.sizes.first())
        rows = [row for row in one.sizes.rows() if one.held.key(row) == key]
        case = next(small(one.function, one.sizes, mask=one.function.needs_mask))
        least = min(rows, key=lambda row: sum(row.values()))
        trial = one.trial(replace(case, sizes=least))
        trial.answer = one.run([trial])[0]
        return trial

    def gives(self, reading: Reading | Derived, trial: Trial, model: Any) -> bool:
        """Whether a model answer gives what the submission gave."""
        given = self.one.held.lent(trial.given, trial.case, reading, loose=False)
        return self._agrees(model, given, trial)

    def _agrees(self, model: Any, given: Given | None, trial: Trial) -> bool:
        """Whether a model answer, given what it takes, gives what was answered in a trial."""
        budget.spend()
        actual = trial.results(trial.answer) if trial.answer.fault is None else []
        if not actual or given is None:
            return False
        left_out = self.one.function.left_out
        try:
            with torch.no_grad():
                done = made(model, given, named=bool(left_out))
        except FAULTS:
            return False
        theirs = done.results[0]
        if actual[0].shape != theirs.shape:
            return False
        keep = done.counted(left_out)
        keep = keep.expand(theirs.shape) if keep is not None else None
        return agree(actual[0], theirs, trial.bound, keep)
