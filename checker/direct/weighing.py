"""The checks of a class: objects with weights, and what one call hands on to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

import torch
from torch import Tensor

from ...kata.arithmetic import names as names_in
from ...kata.arithmetic import worth
from ...kata.functions import Argument, Rules, choices
from ...kata.modules import Module
from ..compare import agree
from .draw import Case, Given, small
from .examine import Examination
from .find import ways
from .objects import Construction, constructions, rank_of
from .sequences import KINDS, sequence
from .takes import Reading, Shapes, fitted, given_back, lent, tables
from .trials import Finding, Trial, by_dtype, same
from .truth import FAULTS, answers, made, options
from .weights import drawn, readings

__all__ = ["Weighing"]

_GAIN = 1.5
# With large inputs this gives scores that exp cannot hold and a penalty of -10000 still masks.
_LARGE_GAIN = 0.8
_READINGS, _RARE = 1500, 600
_GUESSES = 8
_LOOKED_AT = 96


@dataclass(slots=True, kw_only=True)
class _Kind:
    """Objects of one size: the shapes of their weights, and the weights by how large they are."""

    shapes: Shapes = field(default_factory=dict)
    weights: dict[float, dict[str, Tensor]] = field(default_factory=dict)


class Weighing(Examination):
    """Tries a class: finds how it is made, and which of its weights is which."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        module = self.function.module
        assert module is not None
        self.module: Module = module
        self.construction: Construction | None = None
        self.reading: Reading = ()
        self.aligned = False
        self.shown: dict[str, Any] = {}
        self.kinds: dict[Any, _Kind] = {}
        self.groups = 0
        self.first_groups: list[Trial] = []
        # By the tables and the draw, which stay here so that no other has their id.
        self._worked: dict[tuple[int, int], tuple[object, object, dict[str, Tensor]]] = {}
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
            rank = rank_of(answer)
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
            self._key(row): Case(check="values", sizes=row, chosen=chosen, mask=kind)
            for row in self.sizes.rows()
        }
        trials = [self._unanswered(case) for case in cases.values()]
        for key, answer in zip(cases, self._described(trials), strict=True):
            shapes = {**answer.get("registered", {}), **answer.get("hidden", {})}
            self.kinds[key] = _Kind(shapes={n: tuple(shape) for n, shape in shapes.items()})

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
        if finding is not None and finding.kind == "raised" and by_dtype(finding):
            self.found.work = torch.float32

    # -- which weight is which -------------------------------------------------------------

    def align(self) -> None:
        """Take the first reading under which the model answer gives what the submission gave."""
        rows = [row for row in self.sizes.rows() if self.kinds[self._key(row)].shapes][:3]
        chosen = choices(self.function)[0]
        kind = "random" if self.function.needs_mask else None
        cases = [Case(check="values", sizes=row, chosen=chosen, mask=kind) for row in rows]
        trials = [self.trial(case) for case in cases]
        for trial, answer in zip(trials, self.run(trials), strict=True):
            trial.answer = answer
        rare = (islice(self._readings(rare=rare), _RARE) for rare in ("biases", "turned", "nested"))
        for reading in chain(islice(self._readings(), _READINGS), *rare):
            if trials and all(self._gives(reading, trial) for trial in trials):
                self.reading, self.aligned = reading, True
                return
        self.reading = self._guess(trials)

    @property
    def plain(self) -> bool:
        """Whether each projection is an `nn.Linear` of its own, so that no layout is in doubt."""
        matrices = [layer for layer in self.module.layers if len(layer.shape) > 1]
        shapes = self.kinds[self._key(self.sizes.first())].shapes
        thick = [name for name, shape in shapes.items() if len(shape) > 1]
        return len(self._linear) == len(thick) == len(matrices)

    @property
    def _linear(self) -> frozenset[str]:
        """The weights of `nn.Linear`s, whose rows are features."""
        return frozenset(f"{n}.weight" for n, kind in self.shown["modules"] if kind == "Linear")

    def _readings(self, *, loose: bool = False, rare: str = "") -> Iterator[Reading]:
        first = self.sizes.first()
        return readings(
            self.kinds[self._key(first)].shapes, self.module.layers, first, self._linear,
            symbols=[n for n in first if first[n] > 1 and n in self._fixed], loose=loose, rare=rare,
        )  # fmt: skip

    def _guess(self, trials: Sequence[Trial]) -> Reading:
        """Take a reading under which a mistake explains the first call, else the likeliest."""
        strict = list(islice(self._readings(), _LOOKED_AT))
        least = self._least()
        fitting = [one for one in strict if self._gives(one, least)]
        likely = [*dict.fromkeys((
            *(fitting or strict)[:_GUESSES], *islice(self._readings(loose=True), _GUESSES),
        ))]  # fmt: skip
        edits = [edit for _, edit in options(self.kata, self.function.name)]
        edited = [one for one in (answers(self.kata, (edit,)) for edit in edits) if one]
        for reading in likely if trials else ():
            given = self._weighted(trials[0].given, trials[0].case, reading)
            for one in edited:
                if self._agrees(one[self.function.name], given, trials[0]):
                    return reading
        return likely[0] if likely else ()

    def _least(self) -> Trial:
        """Make the smallest call on an object of the first size, where few mistakes show."""
        key = self._key(self.sizes.first())
        rows = [row for row in self.sizes.rows() if self._key(row) == key]
        case = next(small(self.function, self.sizes, mask=self.function.needs_mask))
        least = min(rows, key=lambda row: sum(row.values()))
        trial = self.trial(replace(case, sizes=least))
        trial.answer = self.run([trial])[0]
        return trial

    def _gives(self, reading: Reading, trial: Trial) -> bool:
        """Whether the model answer gives what the submission gave."""
        given = self._weighted(trial.given, trial.case, reading, loose=False)
        return self._agrees(self.right, given, trial)

    def _agrees(self, answer: Any, given: Given | None, trial: Trial) -> bool:
        """Whether an answer gives what the submission gave in a trial."""
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

    @property
    def roles(self) -> dict[str, list[str]]:
        """The model answer's layers, each with the parameters that hold it."""
        extra = {one.name for one in self.module.layers if one.extra}
        return {
            layer: [*take.names, *take.biases] for take in self.reading for layer in take.layers
            if layer not in extra
        }  # fmt: skip

    @property
    def unused(self) -> list[str]:
        """The parameters that the output does not depend on."""
        used = {name for many in self.roles.values() for name in many}
        shapes = self.kinds[self._key(self.sizes.first())].shapes
        return [name for name in shapes if name not in used]

    # -- objects of one size ---------------------------------------------------------------

    def _key(self, sizes: dict[str, int]) -> tuple[Any, ...]:
        return tuple(self.module.worth(sizes).values())

    def _held(self, case: Case) -> dict[str, Tensor]:
        """The submission's weights for a case, drawn once for all objects of one size."""
        kind = self.kinds.setdefault(self._key(case.sizes), _Kind())
        gain = _GAIN if case.gain == 1 else _LARGE_GAIN
        if gain not in kind.weights and kind.shapes:
            kind.weights[gain] = drawn(kind.shapes, gain, self.generator)
        return kind.weights.get(gain, {})

    def _weighted(
        self, given: Given, case: Case, reading: Reading, *, loose: bool = True
    ) -> Given | None:
        """Give the model answer a submission's weights; None where they do not fit it."""
        held = self._held(case)
        shapes = {name: tuple(weight.shape) for name, weight in held.items()}
        layers = self.module.layers
        places = tables(reading, shapes, layers, case.sizes)
        if places is None and not loose:
            return None
        places = places or tables(reading, shapes, layers, case.sizes, loose=True)
        places = places or tables((), {}, layers, case.sizes) or {}
        settled = (id(places), id(held))
        if reading is self.reading and settled in self._worked:
            return replace(given, weights=self._worked[settled][2])
        weights = lent(reading, places, held)
        if held and reading is self.reading:
            self._worked[settled] = (places, held, weights)
        return replace(given, weights=weights)

    def drawn(self, case: Case) -> Given:
        """Draw what a case is called with, and the weights."""
        given = super().drawn(case)
        state = self.function.state
        if state is not None and case.turn % 2 and not self._must(state):
            given = replace(given, left=(*given.left, state.name), plain={
                name: value for name, value in given.plain.items() if name != state.name
            })  # fmt: skip
        weighted = self._weighted(given, case, self.reading)
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
        if self._weighted(given, trial.case, self.reading, loose=False) is None:
            nowhere = tables((), {}, self.module.layers, trial.case.sizes) or {}
            trial.given = replace(given, weights=lent((), nowhere, {}))
        upstream = super().work_out(trial)
        trial.given = given
        return upstream

    def write(self, trial: Trial, **extra: Any) -> None:
        """Write a trial's call; what it gives back is kept for later ones."""
        given = trial.given
        if given.state:
            extra["hold"] = given.kept
        super().write(trial, **extra)

    def weigh(self, trial: Trial, grads: dict[str, Tensor]) -> None:
        """Bring the gradients of the model answer's weights to the submission's parameters."""
        held = self._held(trial.case)
        shapes = {name: tuple(weight.shape) for name, weight in held.items()}
        places = tables(self.reading, shapes, self.module.layers, trial.case.sizes)
        if not self.aligned or places is None:
            return
        takes = fitted(self.reading, shapes)
        used = {name for take in takes for name in (*take.names, *take.biases)}
        mine = given_back(grads, places, shapes)
        trial.weight_grads = {name: grad for name, grad in mine.items() if name in used}

    def object_of(self, trial: Trial) -> Any:
        """What tells the object of one call from that of another."""
        return (self._key(trial.case.sizes), trial.case.gain != 1, trial.group)

    def way_in(self, trial: Trial) -> dict[str, Any]:
        """How the object that a trial calls is made, and its weights."""
        recipe = self.recipe_at(trial.case.sizes)
        weights = self._held(trial.case)
        if trial.dtype is not torch.float64:
            weights = {name: one.to(trial.dtype).double() for name, one in weights.items()}
        return {"recipe": recipe, "weights": weights}

    def recipe_at(self, sizes: dict[str, int]) -> dict[str, Any]:
        """How the candidate's process makes the object at these sizes."""
        assert self.construction is not None
        return self.construction.recipe(sizes)

    # -- what is tried ---------------------------------------------------------------------

    def two(self) -> tuple[Case, Case]:
        """Two cases that one object can be called with."""
        one, other = super().two()
        for symbol, values in self.sizes.values.items():
            sizes = self.sizes.row({**{s: v[0] for s, v in self.sizes.values.items()},
                                    symbol: values[-1]})  # fmt: skip
            if symbol not in self._fixed and self._key(sizes) == self._key(one.sizes):
                other = replace(one, sizes=sizes, turn=other.turn)
        return one, other

    def try_purity(self) -> None:
        """The same, told apart: what differs on one object and not on two is kept on it."""
        super().try_purity()
        if self.found.state == "fail-random":
            pair = [self.trial(self.two()[0])] * 2
            outs = [pair[0].results(self.run([one])[0]) for one in pair]
            if same(outs[0], outs[1]):
                self.found.state = "fail-state"

    def trials(self) -> list[Trial]:
        """All that is tried: each call alone, and calls one after another."""
        groups = list(self._schedules(3))
        self.first_groups = [trial for group in groups[: len(KINDS)] for trial in group]
        return [*super().trials(), *(trial for group in groups for trial in group)]

    def _schedules(self, most: int) -> Iterator[list[Trial]]:
        """Yield calls on one object, in which one takes what another gave back."""
        if self.function.state is None:
            return
        rows = {self._key(row): row for row in reversed(list(self.sizes.rows()))}
        for row in [self.sizes.first(), *rows.values()][:most]:
            for kind in KINDS:
                self.groups += 1
                found: list[Trial] = []
                for case, given in sequence(self.function, row, kind, self.drawn):
                    found.append(self.trial_of(case, given, self.found.work))
                    found[-1].group = self.groups
                yield found

    def watch(self) -> None:
        """Keep the steps of calls alone, and of calls one after another if they are looked at."""
        super().watch()
        found, memory = self.found, self.function.memory
        wrong = found.findings or found.modified or found.state or found.device
        # Of right code their answers are enough, unless a rule is about steps.
        if not (wrong or memory.largest or memory.apart or self.function.rules != Rules()):
            self.seen += [trial for trial in self.first_groups if not trial.missing]
            return
        for group in self._schedules(1):
            self.seen += self.recorded([trial for trial in group if not trial.missing])

    def again(self, trial: Trial) -> Trial:
        """Make a trial's call once more, and keep its steps; of several, the first was seen."""
        return super().again(trial) if not trial.group else trial
