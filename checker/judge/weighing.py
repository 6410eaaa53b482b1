"""The checks of a class: objects with weights, and what one call hands on to the next."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from ...kata.functions import Argument, Rules, choices
from ...kata.modules import Module
from ..process.answers import Global, Try
from ..process.requests import Call, ObjectRecipe, Record, Series
from .aligning import align, guess
from .case import Case
from .compare import case_bound
from .conditioning import judged
from .draw import by_calls, small
from .drawing import draw
from .dropout_finding import DropoutFinding
from .examine import Examination
from .find import Bound
from .given import Given
from .objects import Construction
from .sequences import KINDS, LONG, sequence
from .trials import Finding, Trial
from .way_in import way_in
from .weights.derived import Derived
from .weights.held import Held
from .weights.probed import Objects
from .weights.takes import Reading

__all__ = ["Weighing"]

# How often calls are drawn until each row has something to attend to.
_DRAWS = 32
# How many objects have their weights told apart by derivatives, which takes its time.
_MOST_DERIVED = 5
# What inputs are multiplied by where an object has other weights than it had.
_OTHER_GAIN = 2.0


class Weighing(Examination):
    """Tries a class: finds how it is made, and which of its weights is which."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        module = self.function.module
        assert module is not None
        self.module: Module = module
        self.model = self.right
        self.asked = self.function
        # Numbers in the file's globals that may be sizes.
        self.globals: Sequence[Global] = ()
        self.construction: Construction | None = None
        self.held = Held(module, self.sizes, self.generator)
        self.shown = Try(phase="", printed=[])
        self.groups = 0
        self.dropout: DropoutFinding | None = None
        self.first_groups: list[Trial] = []
        # Calls that return their input, to see what remains without them.
        self.skip: tuple[str, ...] = ()
        self.quiet = False

    # -- finding the way in ----------------------------------------------------------------

    def bind(self) -> Finding | None:
        """Find the way to make and call the object; return what the plainest call raised."""
        return way_in(self)

    def take(self, construction: Construction, bound: Bound) -> None:
        """Make and call it in one way from now on."""
        self.construction, self.bound = construction, bound
        arguments = tuple(one for one in self.asked.arguments if one.name not in bound.twice)
        self.function = replace(self.asked, arguments=arguments, twice=bound.twice)

    # -- which weight is which -------------------------------------------------------------

    def align(self) -> None:
        """Take the first reading under which the model answer gives what the submission gave."""
        trials = self.first_calls()
        if not align(self, trials):
            guess(self, trials)

    def first_calls(self) -> list[Trial]:
        """Make calls of the first sizes, by whose answers the weights are told apart."""
        rows = [row for row in self.sizes.rows() if self.held.kind(row).shapes][:3]
        chosen = choices(self.function)[0]
        kind = "random" if self.function.needs_mask else None
        cases = [Case(check="values", sizes=row, chosen=chosen, mask=kind) for row in rows]
        trials = [self.trial(case) for case in cases]
        for trial, answer in zip(trials, self.run(trials), strict=True):
            trial.answer = answer
        return trials

    @property
    def plain(self) -> bool:
        """Whether each projection is an `nn.Linear` of its own, so that no layout is in doubt."""
        matrices = [layer for layer in self.module.layers if len(layer.shape) > 1]
        shapes = self.held.first
        thick = [name for name, shape in shapes.items() if len(shape) > 1]
        return len(self.linear) == len(thick) == len(matrices)

    @property
    def linear(self) -> frozenset[str]:
        """The weights of `nn.Linear`s, whose rows are features."""
        return frozenset(f"{n}.weight" for n, kind in self.shown.modules if kind == "Linear")

    # -- objects of one size ---------------------------------------------------------------

    def objects(self, sizes: dict[str, int]) -> Objects | None:
        """Objects of one size, whose weights derivatives are to tell apart."""
        kind = self.held.kind(sizes)
        if kind.objects is not None or not kind.shapes:
            return kind.objects
        # As many samples and positions as at first: a length of 1 tells queries nothing.
        for symbol, values in self.sizes.values.items():
            other = self.sizes.row({**sizes, symbol: values[0]})
            if self.held.key(other) == self.held.key(sizes):
                sizes = other
        mask = "random" if self.function.needs_mask else None
        case = Case(check="values", sizes=sizes, chosen=choices(self.function)[0], mask=mask)
        drawn = (self._with_own_weights(case) for _ in range(_DRAWS))
        # What a row gives that has nothing to attend to tells nothing of weights.
        trial = next((one for one in drawn if one.keep is None), None)
        trial = trial or self._with_own_weights(case)
        self.write(trial)
        series = self.series(trial, [trial.call], dtype=self.found.work)
        kind.objects = Objects(trial, series, self.candidate, kind.shapes)
        return kind.objects

    def _with_own_weights(self, case: Case) -> Trial:
        """Draw a case with the model answer's own weights, and work out the right answer."""
        bound = case_bound(self.function, case, self.found.work)
        given = super().drawn(case)
        trial = Trial(function=self.function, case=case, given=given, expected=(), bound=bound)
        super().work_out(trial)
        return trial

    def drawn(self, case: Case) -> Given:
        """Draw what a case is called with; the weights are the submission's."""
        given = draw(self.function, case, self.generator, weighted=False)
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
        arguments = self.entry.arguments or []
        return own is None or not any(one.name == own and one.has_default for one in arguments)

    def work_out(self, trial: Trial) -> Tensor | None:
        """Run the model answer; with no weights where the submission's do not fit it."""
        given = trial.given
        trial.unread = self.held.lent(given, trial.case, self.held.reading, loose=False) is None
        if trial.unread:
            trial.given = self.held.none(given, trial.case)
        upstream = super().work_out(trial)
        trial.given = given
        return upstream

    def write(
        self, trial: Trial, record: Record | None = None, *, grad: Tensor | None = None
    ) -> None:
        """Write a trial's call; what it gives back is kept for later ones."""
        if self.skip or self.quiet:
            record = replace(record or Record(steps=False), skip=self.skip, silent=self.quiet)
        super().write(trial, record, grad=grad)
        given = trial.given
        if given.state:
            trial.call = replace(trial.call, hold=given.kept, carried=given.carried)

    def silenced(self, skip: tuple[str, ...] = (), *, quiet: bool = False) -> Weighing:
        """The same with some torch calls returning their input, and its weights read anew.

        quiet: dropouts do.
        """
        other = copy.copy(self)
        other.skip, other.quiet, other.right = skip, quiet, self.model
        other.held = self.held.unread()
        other.align()
        return other

    def read_as(self, reading: Reading | Derived) -> Weighing:
        """The same with its weights read in another way."""
        other = copy.copy(self)
        other.held = self.held.unread(reading)
        return other

    def weigh(self, trial: Trial, grads: dict[str, Tensor]) -> None:
        """Bring the gradients of the model answer's weights to the submission's parameters."""
        mine = self.held.brought_back(grads, trial.case)
        # What was found not to learn has none.
        trial.weight_grads = {n: g for n, g in mine.items() if n not in self.shown.still}

    def object_of(self, trial: Trial) -> Any:
        """What tells the object of one call from that of another."""
        return (
            self.held.key(trial.case.sizes),
            trial.case.gain != 1,
            trial.group,
            trial.case.train,
            trial.case.loud,
            trial.case.zeros,
        )

    def series(
        self, trial: Trial, calls: Sequence[Call], *,
        dtype: torch.dtype | None = None, warm: Call | None = None,
    ) -> Series:  # fmt: skip
        """The same, on an object of its own for each size and mode."""
        weights = self.held.of(trial.case)
        if trial.dtype is not torch.float64:
            weights = {name: one.to(trial.dtype).double() for name, one in weights.items()}
        # Where a call's values are kept, those that the constructor makes are as well.
        noted = any(call.record is not None and call.record.values for call in calls)
        return replace(
            super().series(trial, calls, dtype=dtype, warm=warm),
            recipe=self._recipe_of(trial), weights=weights, record=noted, wide=trial.wide,
        )  # fmt: skip

    def _recipe_of(self, trial: Trial) -> ObjectRecipe:
        return self.recipe_at(trial.case.sizes, silent=trial.case.train and not trial.case.loud)

    def recipe_at(self, sizes: dict[str, int], *, silent: bool = False) -> ObjectRecipe:
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
        self.write(other, grad=trial.call.grad)
        other.call = replace(other.call, autocast=trial.call.autocast)
        return other

    def two(self) -> tuple[Case, Case]:
        """Two cases that one object can be called with."""
        one, other = super().two()
        for symbol, values in self.sizes.values.items():
            sizes = self.sizes.row({**{s: v[0] for s, v in self.sizes.values.items()},
                                    symbol: values[-1]})  # fmt: skip
            if symbol not in self.module.symbols and self.held.key(sizes) == self.held.key(
                one.sizes
            ):
                other = replace(one, sizes=sizes, turn=other.turn)
        return one, other

    def spoilt(self) -> str | None:
        """fail-stale or fail-unturned, where other weights or another dtype do not go through."""
        return "fail-stale" if self._stale() else "fail-unturned" if self._unturned() else None

    def _stale(self) -> bool:
        """Whether an object goes wrong once other weights are in it, where a fresh one does not."""
        case = next(small(self.function, self.sizes, mask=self.function.needs_mask))
        first, other = self.trial(case), self.trial(replace(case, gain=_OTHER_GAIN))
        call = replace(other.call, weights=self.held.of(other.case))
        both = [self.series(first, [first.call, call], dtype=self.found.work)]
        answers = self.answered(both)
        if judged(self, other, answers[1]) is None or judged(self, first, answers[0]) is not None:
            return False
        return judged(self, other, self.run([other])[0]) is None

    def _unturned(self) -> bool:
        """Whether an object goes wrong in float32 once it was called in float64, and not afresh."""
        if self.found.work is not torch.float64 or "float32" not in self.found.dtypes:
            return False
        case = next(small(self.function, self.sizes, mask=self.function.needs_mask))
        first, other = self.trial(case), self.trial(case, torch.float32)
        weights = self.held.of(other.case)
        both = [first.call, replace(other.call, dtype="float32", weights=weights)]
        answers = self.answered([self.series(first, both, dtype=torch.float64)])
        if judged(self, other, answers[1]) is None or judged(self, first, answers[0]) is not None:
            return False
        return judged(self, other, self.run([other], torch.float32)[0]) is None

    def batches(self) -> Iterator[list[Trial]]:
        """Yield each call alone, and calls one after another."""
        for batch in super().batches():
            if self._affords(batch[0].case):
                yield batch
        self.first_groups = []
        for count, group in enumerate(self._schedules(3)):
            self.first_groups += group if count < len(KINDS) else []
            yield group
        for row in by_calls(self.function, self.sizes):
            yield from (self._calls(row, kind) for kind in LONG)

    def _affords(self, case: Case) -> bool:
        """Whether it takes no new object whose weights derivatives would have to tell apart."""
        if not isinstance(self.held.reading, Derived):
            return True
        some = dict.fromkeys(map(self.held.key, self.sizes.rows()))
        return self.held.key(case.sizes) in [*some][:_MOST_DERIVED]

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
        looked_at = memory.largest or memory.apart or memory.rows
        if not (wrong or looked_at or self.function.rules != Rules()):
            self.seen += [trial for trial in self.first_groups if not trial.missing]
            return
        for group in self._schedules(1):
            self.seen += self.recorded([trial for trial in group if not trial.missing])

    def again(self, trial: Trial) -> Trial:
        """Make a trial's call once more, and keep its steps; of several, the first was seen."""
        return super().again(trial) if not trial.group else trial
