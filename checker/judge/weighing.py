"""The checks of a class: objects with weights, and what one call hands on to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import torch
from torch import Tensor

from ...kata.arithmetic import names as names_in
from ...kata.arithmetic import worth
from ...kata.functions import Argument, Rules, choices
from ...kata.modules import Module
from ..process.wire import dtype_name
from . import budget
from .classes.dropout_trial import DropoutFinding
from .compare import agree
from .draw import Case, Given, by_calls, small
from .examine import Examination
from .find import ways
from .objects import Construction, constructions, how_far
from .sequences import KINDS, LONG, sequence
from .trials import Finding, Trial, by_dtype
from .truth import FAULTS, answers, made, options
from .weights.derived import Derived, Objects
from .weights.held import Held, Kind
from .weights.readings import readings
from .weights.takes import Reading

__all__ = ["Weighing"]

_PLAIN, _RARE = 60, 600
# How many ways to be without some biases are tried of the right answer, and of one with a mistake.
_FORMS, _LIKELY_FORMS = 64, 4
# Two derivatives are one number where they differ by less, in units of the largest: right code
# may take a detour through float32, or run in nothing else.
_CLOSE, _CLOSE_IN_FLOAT32 = 1e-5, 1e-4
_GUESSES = 8
# Seconds of processor time for the reading that gives the submission's numbers, and for one
# beside a mistake.
_READING, _GUESSING = 30.0, 10.0
_LOOKED_AT = 96


class Weighing(Examination):
    """Tries a class: finds how it is made, and which of its weights is which."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        module = self.function.module
        assert module is not None
        self.module: Module = module
        self.construction: Construction | None = None
        self.held = Held(module, self.sizes, self.generator)
        self.shown: dict[str, Any] = {}
        self.groups = 0
        self.dropout: DropoutFinding | None = None
        self.first_groups: list[Trial] = []
        self._settled = self.kata.kind == "program"  # whose derivatives are too many
        self._fixed = {symbol for text in module.texts for symbol in names_in(text)}

    # -- finding the way in ----------------------------------------------------------------

    def bind(self) -> Finding | None:
        """Find the way to make and call the object; return what the plainest call raised."""
        case = next(small(self.function, self.sizes, mask=self.function.needs_mask))
        plans = [
            (construction, bound)
            for construction in constructions(self.module, self.entry)
            for bound in ways(self.function, self.entry)
        ]
        if not plans:
            return None
        self.mask_dtypes = [torch.bool]
        best: tuple[int, Construction, Any, Trial, dict[str, Any]] | None = None
        for construction, bound in plans:
            self.construction, self.bound = construction, bound
            trial = self.trial(case)
            answer = self._described([trial])[0]
            rank = how_far(answer)
            if best is None or rank < best[0]:
                best = (rank, construction, bound, trial, answer)
            if not rank:
                break
        assert best is not None
        rank, self.construction, self.bound, trial, self.shown = best
        if "fault" in self.shown:
            return Finding(kind="raised", trial=trial, fault=self.shown["fault"])
        if rank == 2:
            container = str(self.shown["answer"].get("container"))
            return Finding(kind="none", trial=trial, words=container)
        self._survey()
        self._settle(case)
        self.align()
        self.try_mask_dtypes()
        return None

    def _described(self, trials: Sequence[Trial]) -> list[dict[str, Any]]:
        tries = [
            {"recipe": self.way_in(trial)["recipe"], "dtype": "float32", "call": trial.call}
            for trial in trials
        ]
        request = {"do": "describe", "first_good": False, "tries": tries}
        return self.candidate.ask(request)["answers"]

    def _survey(self) -> None:
        """Ask for the shapes of the weights at every size."""
        chosen = choices(self.function)[0]
        kind = "random" if self.function.needs_mask else None
        cases = {
            self.held.key(row): Case(check="values", sizes=row, chosen=chosen, mask=kind)
            for row in (*self.sizes.large_rows(), *self.sizes.rows())
        }
        trials = [self._unanswered(case) for case in cases.values()]
        for key, answer in zip(cases, self._described(trials), strict=True):
            shapes = {**answer.get("registered", {}), **answer.get("hidden", {})}
            self.held.kinds[key] = Kind(shapes={n: tuple(s) for n, s in shapes.items()})

    def _unanswered(self, case: Case) -> Trial:
        """Write a case's call, for which nothing is worked out but the shapes of its results."""
        shapes = [
            [worth(axis, case.scope()) for axis in one.shape] for one in self.function.results
        ]
        trial = Trial(
            function=self.function, case=case, given=self.drawn(case), bound=0.0,
            expected=tuple(torch.empty(shape) for shape in shapes),
        )  # fmt: skip
        self.write(trial)
        return trial

    def _settle(self, case: Case) -> None:
        """Decide values in float32 where the code does not run in float64."""
        trial = self.trial(case)
        finding = trial.judge(self.run([trial])[0])
        if finding and finding.kind == "raised" and by_dtype(finding):
            self.found.work = torch.float32

    # -- which weight is which -------------------------------------------------------------

    def align(self) -> None:
        """Take the first reading under which the model answer gives what the submission gave."""
        rows = [row for row in self.sizes.rows() if self.held.kind(row).shapes][:3]
        chosen = choices(self.function)[0]
        kind = "random" if self.function.needs_mask else None
        cases = [Case(check="values", sizes=row, chosen=chosen, mask=kind) for row in rows]
        trials = [self.trial(case) for case in cases]
        for trial, answer in zip(trials, self.run(trials), strict=True):
            trial.answer = answer
        ways: Iterator[Reading | Derived] = chain(
            islice(self._readings(), _PLAIN),
            [] if self._settled else [self._derived(self.right, _FORMS)],
            islice(self._readings(turned=True), _PLAIN if self._settled else _RARE),
        )
        right = (way for way in ways if trials and all(self._gives(way, one) for one in trials))
        found = None
        with suppress(budget.Spent), budget.limited(_READING):
            found = next(right, None)
        self.held.aligned = found is not None
        self.held.reading = self._guess(trials) if found is None else found

    @property
    def plain(self) -> bool:
        """Whether each projection is an `nn.Linear` of its own, so that no layout is in doubt."""
        matrices = [layer for layer in self.module.layers if len(layer.shape) > 1]
        shapes = self.held.first
        thick = [name for name, shape in shapes.items() if len(shape) > 1]
        return len(self._linear) == len(thick) == len(matrices)

    @property
    def _linear(self) -> frozenset[str]:
        """The weights of `nn.Linear`s, whose rows are features."""
        return frozenset(f"{n}.weight" for n, kind in self.shown["modules"] if kind == "Linear")

    def _readings(self, *, loose: bool = False, turned: bool = False) -> Iterator[Reading]:
        first = self.sizes.first()
        return readings(
            self.held.first, self.module.layers, first, self._linear,
            symbols=[n for n in first if first[n] > 1 and n in self._fixed],
            loose=loose, turned=turned,
        )  # fmt: skip

    def _derived(self, model: Any, forms: int) -> Derived:
        """A reading by what weights do, if this is what the submission computes."""
        return Derived(
            model=model, layers=self.module.own, objects=self._objects, forms=forms,
            close=_CLOSE if self.found.work is torch.float64 else _CLOSE_IN_FLOAT32,
        )  # fmt: skip

    def _guess(self, trials: Sequence[Trial]) -> Reading | Derived:
        """Take a reading under which a mistake explains the first call, else the likeliest."""
        strict = list(islice(self._readings(), _LOOKED_AT))
        least = self._least()
        fitting = [one for one in strict if self._gives(one, least)]
        likely = [*dict.fromkeys((
            *(fitting or strict)[:_GUESSES], *islice(self._readings(loose=True), _GUESSES),
        ))]  # fmt: skip
        edits = [edit for _, edit in options(self.kata, self.function.name, self.numbers)]
        edited = [one for one in (answers(self.kata, (edit,)) for edit in edits) if one]
        with suppress(budget.Spent), budget.limited(_GUESSING):
            for reading in likely if trials else ():
                given = self.held.lent(trials[0].given, trials[0].case, reading)
                for one in edited:
                    if self._agrees(one[self.function.name], given, trials[0]):
                        return reading
            for one in () if self.plain or self._settled or not trials else edited:
                derived = self._derived(one[self.function.name], _LIKELY_FORMS)
                given = self.held.lent(trials[0].given, trials[0].case, derived, loose=False)
                if self._agrees(derived.model, given, trials[0]):
                    return derived
        return likely[0] if likely else ()

    def _least(self) -> Trial:
        """Make the smallest call on an object of the first size, where few mistakes show."""
        key = self.held.key(self.sizes.first())
        rows = [row for row in self.sizes.rows() if self.held.key(row) == key]
        case = next(small(self.function, self.sizes, mask=self.function.needs_mask))
        least = min(rows, key=lambda row: sum(row.values()))
        trial = self.trial(replace(case, sizes=least))
        trial.answer = self.run([trial])[0]
        return trial

    def _gives(self, reading: Reading | Derived, trial: Trial) -> bool:
        """Whether the model answer gives what the submission gave."""
        given = self.held.lent(trial.given, trial.case, reading, loose=False)
        return self._agrees(self.right, given, trial)

    def _agrees(self, answer: Any, given: Given | None, trial: Trial) -> bool:
        """Whether an answer gives what the submission gave in a trial."""
        budget.spend()
        actual = trial.results(trial.answer) if "fault" not in trial.answer else []
        if not actual or given is None:
            return False
        try:
            with torch.no_grad():
                done = made(self.kata, answer, given, named=bool(self.function.left_out))
        except FAULTS:
            return False
        theirs = done.results[0]
        if actual[0].shape != theirs.shape:
            return False
        keep = done.counted(self.function.left_out)
        keep = keep.expand(theirs.shape) if keep is not None else None
        return agree(actual[0], theirs, trial.bound, keep)

    # -- objects of one size ---------------------------------------------------------------

    def _objects(self, sizes: dict[str, int]) -> Objects | None:
        """Objects of one size, whose weights derivatives are to tell apart."""
        kind = self.held.kind(sizes)
        if kind.objects is not None or not kind.shapes:
            return kind.objects
        # As many samples and positions as at first: a length of 1 tells queries nothing.
        picks = {symbol: sizes[symbol] for symbol in self.sizes.values}
        for symbol, values in self.sizes.values.items():
            other = {**picks, symbol: values[0]}
            if self.held.key(self.sizes.row(other)) == self.held.key(sizes):
                picks = other
        mask = "random" if self.function.needs_mask else None
        case = Case(check="values", sizes=self.sizes.row(picks), chosen=choices(self.function)[0],
                    mask=mask)  # fmt: skip
        given = super().drawn(case)
        bound = self._bound_of(case, self.found.work)
        trial = Trial(function=self.function, case=case, given=given, expected=(), bound=bound)
        super().work_out(trial)
        self.write(trial)
        run = {**self.way_in(trial), "dtype": dtype_name(self.found.work)}
        kind.objects = Objects(trial, run, self.candidate, kind.shapes)
        return kind.objects

    def drawn(self, case: Case) -> Given:
        """Draw what a case is called with, and the weights."""
        given = super().drawn(case)
        state = self.function.state
        if state is not None and case.turn % 2 and not self._must(state):
            given = replace(given, left=(*given.left, state.name), plain={
                name: value for name, value in given.plain.items() if name != state.name
            })  # fmt: skip
        weighted = self.held.lent(given, case, self.held.reading)
        assert weighted is not None
        return weighted

    def _must(self, state: Argument) -> bool:
        """Whether the state cannot be left out of the submission's call."""
        assert self.bound is not None
        own = self.bound.named.get(state.name)
        arguments = self.entry["arguments"] or []
        return own is None or not any(
            one["name"] == own and one["has_default"] for one in arguments
        )

    def work_out(self, trial: Trial) -> Tensor | None:
        """Run the model answer; with no weights where the submission's do not fit it."""
        given = trial.given
        if self.held.lent(given, trial.case, self.held.reading, loose=False) is None:
            trial.given = self.held.none(given, trial.case)
        upstream = super().work_out(trial)
        trial.given = given
        return upstream

    def write(self, trial: Trial, **extra: Any) -> None:
        """Write a trial's call; what it gives back is kept for later ones."""
        given = trial.given
        held = {"hold": given.kept, "carried": given.carried} if given.state else {}
        super().write(trial, **held, **extra)

    def weigh(self, trial: Trial, grads: dict[str, Tensor]) -> None:
        """Bring the gradients of the model answer's weights to the submission's parameters."""
        trial.weight_grads = self.held.brought_back(grads, trial.case)

    def object_of(self, trial: Trial) -> Any:
        """What tells the object of one call from that of another."""
        return (
            self.held.key(trial.case.sizes),
            trial.case.gain != 1,
            trial.group,
            trial.case.train,
        )

    def way_in(self, trial: Trial) -> dict[str, Any]:
        """How the object that a trial calls is made, and its weights."""
        recipe = self.recipe_at(trial.case.sizes, silent=trial.case.train)
        weights = self.held.of(trial.case)
        if trial.dtype is not torch.float64:
            weights = {name: one.to(trial.dtype).double() for name, one in weights.items()}
        return {"recipe": recipe, "weights": weights}

    def recipe_at(self, sizes: dict[str, int], *, silent: bool = False) -> dict[str, Any]:
        """How the candidate's process makes the object at these sizes. silent: without dropout."""
        assert self.construction is not None
        return self.construction.recipe(sizes, silent=silent)

    # -- what is tried ---------------------------------------------------------------------

    def plain_trials(self) -> list[Trial]:
        """The same, and in train mode."""
        found = super().plain_trials()
        return [*found, *map(self.in_training, found)]

    def in_training(self, trial: Trial) -> Trial:
        """The same trial in train mode, with torch's dropouts silenced and at a rate of 0."""
        other = replace(trial, case=replace(trial.case, train=True))
        self.write(other, **{n: trial.call[n] for n in ("grad", "autocast") if n in trial.call})
        return other

    def two(self) -> tuple[Case, Case]:
        """Two cases that one object can be called with."""
        one, other = super().two()
        for symbol, values in self.sizes.values.items():
            sizes = self.sizes.row({**{s: v[0] for s, v in self.sizes.values.items()},
                                    symbol: values[-1]})  # fmt: skip
            if symbol not in self._fixed and self.held.key(sizes) == self.held.key(one.sizes):
                other = replace(one, sizes=sizes, turn=other.turn)
        return one, other

    def batches(self) -> Iterator[list[Trial]]:
        """Yield each call alone, and calls one after another."""
        yield from super().batches()
        self.first_groups = []
        for count, group in enumerate(self._schedules(3)):
            self.first_groups += group if count < len(KINDS) else []
            yield group
        yield from (self._calls(row, LONG) for row in by_calls(self.function, self.sizes))

    def _schedules(self, most: int) -> Iterator[list[Trial]]:
        """Yield calls on one object, in which one takes what another gave back."""
        if self.function.state is None:
            return
        rows = {self.held.key(row): row for row in reversed(list(self.sizes.rows()))}
        for row in [self.sizes.first(), *rows.values()][:most]:
            for kind in KINDS:
                yield self._calls(row, kind)

    def _calls(self, row: dict[str, int], kind: str) -> list[Trial]:
        """Write the calls of one kind of sequence at some sizes."""
        self.groups += 1
        found: list[Trial] = []
        for case, given in sequence(self.function, row, kind, self.drawn):
            found.append(self.trial_of(case, given, self.found.work))
            found[-1].group = self.groups
        return found

    def watch(self) -> None:
        """Keep the steps of calls alone, and of calls one after another if they are looked at."""
        super().watch()
        found, memory = self.found, self.function.memory
        wrong = found.findings or found.modified or found.state
        # Of right code their answers are enough, unless a rule is about steps.
        if not (wrong or memory.largest or memory.apart or self.function.rules != Rules()):
            self.seen += [trial for trial in self.first_groups if not trial.missing]
            return
        for group in self._schedules(1):
            self.seen += self.recorded([trial for trial in group if not trial.missing])

    def again(self, trial: Trial) -> Trial:
        """Make a trial's call once more, and keep its steps; of several, the first was seen."""
        return super().again(trial) if not trial.group else trial
