"""The checks: what is tried of one function, and what was found."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

import torch
from torch import Tensor

from ...kata.arithmetic import worth
from ...kata.catalogue import Kata
from ...kata.functions import AUTOGRAD, Function
from ..candidate.recorder import LIMIT
from ..process.answers import Entry, Outcome, Raised, Stray
from ..process.handle import Candidate
from ..process.requests import Call, FunctionRecipe, MakeCalls, Pretend, Recipe, Record, Series
from ..process.wire import dtype_name
from .case import Case
from .compare import case_bound
from .conditioning import judged
from .draw import cases, regular, shifts, small, telling
from .drawing import draw
from .find import Bound, ways
from .found import Found
from .given import Given
from .kept import right_answer
from .mask_forms import settle
from .masks import dressed
from .trials import Finding, Trial, answers_of, by_dtype, until_ended
from .trials import same as alike
from .truth import Answers

__all__ = ["Examination"]

# How many calls a part of the grid has at least: the submission makes them as the next is drawn.
_PART = 12


class Examination:
    """Tries one function of a submission.

    convention: what a mask means, "keep", "drop" or "additive".
    """

    def __init__(
        self, kata: Kata, function: Function, entry: Entry, candidate: Candidate,
        truth: Answers, *, seed: int, convention: str, numbers: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.kata = kata
        self.function = function
        self.entry = entry
        self.candidate = candidate
        self.right = truth[function.name]
        self.sizes = kata.asked.sizes
        self.convention = convention
        self.numbers = numbers
        self.generator = torch.Generator().manual_seed(seed)
        self.bound: Bound | None = None
        self.tables = False  # Whether the file keeps tensors beside layers.
        self.mask_dtypes: list[torch.dtype] = [torch.int64]
        self.found = Found()
        self.tried: list[Trial] = []
        self.low: list[list[Trial]] = []
        self.seen: list[Trial] = []
        self.measured: list[Trial] = []

    # -- making trials -------------------------------------------------------------------

    def trial(self, case: Case, dtype: torch.dtype | None = None) -> Trial:
        """Draw a case, work out the right answer, and write the call."""
        dtype = dtype or self.found.work
        given = self.drawn(case)
        if dtype is not torch.float64:
            given = given.rounded(dtype)
        return self.trial_of(case, given, dtype)

    def drawn(self, case: Case) -> Given:
        """Draw what a case is called with."""
        return draw(self.function, case, self.generator)

    def trial_of(self, case: Case, given: Given, dtype: torch.dtype) -> Trial:
        """Work out the right answer to what is given, and write the call."""
        trial = Trial(
            function=self.function, case=case, given=given, expected=(), dtype=dtype,
            bound=case_bound(self.function, case, dtype),
        )  # fmt: skip
        self.write(trial, grad=self.work_out(trial))
        return trial

    def write(
        self, trial: Trial, record: Record | None = None, *, grad: Tensor | None = None
    ) -> None:
        """Write a trial's call. record: what is to be noted; grad: as in a call."""
        assert self.bound is not None
        case, given = trial.case, trial.given
        needed = {*given.tensors, *given.plain} & set(self.bound.missing)
        usual = {one.name: one.default for one in self.function.arguments if one.optional}
        needed -= {name for name in needed if given.plain.get(name, ...) == usual.get(name, ...)}
        trial.missing = min(needed, default="")
        lies = case.lying(given.tensors)
        plain = self.bound.call(given, self._handed(trial), lies=lies, keep=self._kept_dtype)
        trial.call = replace(
            plain,
            shapes=trial.shapes,
            grad=grad,
            # Where it is forbidden it is left on, so that who uses it is told so.
            autograd=AUTOGRAD in self.function.rules.never or bool(self.function.models),
            models=self.function.models,
            train=case.train,
            record=_silenced(record) if case.train and not case.loud else record,
        )

    def posed(self, case: Case, generator: torch.Generator) -> tuple[Given, Call]:
        """Draw a case and write its call, with nothing worked out."""
        assert self.bound is not None
        given = draw(self.function, case, generator)
        trial = Trial(function=self.function, case=case, given=given, expected=(), bound=0.0)
        return given, self.bound.call(given, self._handed(trial), lies={}, keep=self._kept_dtype)

    @property
    def _kept_dtype(self) -> tuple[str, ...]:
        """The arguments that stay in the dtype in which they are drawn."""
        return tuple(one.name for one in self.function.arguments if not one.floats)

    def _handed(self, trial: Trial) -> dict[str, Tensor]:
        """The tensors as the submission gets them: masks in their meaning and dtype."""
        assert self.bound is not None
        handed = {n: t for n, t in trial.given.tensors.items() if n not in self.bound.missing}
        mask = self.function.mask
        if mask is not None and mask.name in handed:
            dtype = self.mask_dtypes[trial.case.turn % len(self.mask_dtypes)]
            shown = dressed(handed[mask.name], self.convention, dtype, trial.dtype)
            axes = trial.case.taken_of(mask) if mask.taken else ()
            taken = [worth(axis, trial.case.scope()) for axis in axes]
            handed[mask.name] = shown.reshape(taken) if taken else shown
        return handed

    def work_out(self, trial: Trial) -> Tensor | None:
        """Run the model answer; return what its gradients were taken against, if they were."""
        found, upstream = right_answer(
            self.kata, self.function, self.right, trial.given, self.generator, grad=trial.case.grad
        )
        trial.expected, trial.keep, trial.grads = found.results, found.keep, dict(found.grads)
        if upstream is not None:
            self.weigh(trial, found.weights)
        return upstream

    def weigh(self, trial: Trial, grads: dict[str, Tensor]) -> None:
        """Note what the gradients of an object's weights are to be. A function has none."""

    # -- asking --------------------------------------------------------------------------

    def run(self, trials: Sequence[Trial], dtype: torch.dtype | None = None) -> list[Outcome]:
        """Have the submission make the calls, one after another, and return its answers."""
        return self.answered(self.series_of(trials, dtype or self.found.work)) if trials else []

    def series_of(self, trials: Sequence[Trial], dtype: torch.dtype) -> list[Series]:
        """The calls of trials: an object serves all calls in a row that are made on its kind."""
        groups = [[*group] for _, group in groupby(trials, self.object_of)]
        return [
            self.series(group[0], [trial.call for trial in group], dtype=dtype,
                        warm=self.plainest(group[0].call))
            for group in groups
        ]  # fmt: skip

    def plainest(self, call: Call) -> Call:
        """A call without what may fail in it, for layers that are made when they are first used."""
        assert self.bound is not None
        mask = self.function.mask
        own = self.bound.named.get(mask.name, "") if mask is not None and mask.optional else ""
        kwargs = {name: value for name, value in call.kwargs.items() if name != own}
        return Call(args=call.args, kwargs=kwargs, inputs=call.inputs)

    def answered(self, series: list[Series]) -> list[Outcome]:
        """Ask for series of calls; return the answers to all calls."""
        return [*self._answers_to([series])]

    def _answers_to(self, parts: Iterable[list[Series]]) -> Iterator[Outcome]:
        """The same of several parts, each of which is made while the one before is answered."""
        asked: list[Series] = []

        def request(series: list[Series]) -> MakeCalls:
            asked.extend(series)
            return MakeCalls(series=series)

        for answer in self.candidate.ask_each(map(request, parts)):
            self.found.printed = self.found.printed or answer.printed
            for result in answer.results:
                several = answers_of(result, len(asked.pop(0).calls))
                for one in several if result.made else ():
                    one.made = result.made
                yield from several

    def object_of(self, trial: Trial) -> Any:  # noqa: ARG002 - a function is the same for all
        """What tells the object of one call from that of another."""
        return None

    def series(
        self, trial: Trial, calls: Sequence[Call], *,
        dtype: torch.dtype | None = None, warm: Call | None = None,
    ) -> Series:  # fmt: skip
        """Calls of what a trial calls: made as for it, and with its weights.

        dtype: that of the weights, the trial's where none is given. warm: the first of the calls.
        """
        return Series(
            recipe=self.recipe, calls=calls, warm=warm or calls[0],
            dtype=dtype_name(dtype or trial.dtype),
        )  # fmt: skip

    @property
    def recipe(self) -> Recipe:
        """How the candidate's process finds the function, or makes the object of first sizes."""
        return self.recipe_at(self.sizes.first())

    def recipe_at(self, sizes: dict[str, int], *, silent: bool = False) -> Recipe:  # noqa: ARG002 - as above
        """The same at other sizes. silent: without dropout."""
        return FunctionRecipe(name=self.entry.name)

    # -- the steps -----------------------------------------------------------------------

    def bind(self) -> Finding | None:
        """Find the way to call the function; return what the plainest call raised, if it did.

        The first way that is right, else the first that runs, else the first.
        """
        outcomes: list[tuple[int, Bound, torch.dtype, Finding | None, Raised | None]] = []
        for bound in ways(self.function, self.entry):
            refused: Raised | None = None
            for work in (getattr(torch, name) for name in self.function.work):
                self.bound, self.found.work = bound, work
                finding = self._first_try()
                rank = 0 if finding is None else 2 if finding.kind in {"raised", "none"} else 1
                outcomes.append((rank, bound, work, finding, refused))
                if finding is None or finding.kind != "raised" or not by_dtype(finding):
                    break
                refused = finding.fault
            if not outcomes[-1][0]:
                break
        if not outcomes:
            self.bound = None
            return None
        best = min(outcomes, key=lambda one: one[0])
        rank, self.bound, self.found.work, finding, self.found.refused = best
        return finding if not settle(self) and rank == 2 else None

    def _first_try(self) -> Finding | None:
        case = next(small(self.function, self.sizes, mask=self.function.needs_mask))
        self.mask_dtypes = [torch.bool]
        trial = self.trial(case)
        return trial.judge(self.run([trial])[0])

    def try_grid(self) -> None:
        """Values, masks, lengths, gradients and large values."""
        self.tried, work = [], self.found.work
        answers = [*self._answers_to(self.series_of(part, work) for part in self._parts())]
        self._keep_all(self.tried, answers)

    def _parts(self) -> Iterator[list[Trial]]:
        """Draw all that is tried, and yield it by parts; an object's calls are in one of them."""
        part: list[Trial] = []
        for batch in self.batches():
            of = self.object_of(batch[0])
            if len(part) >= _PART and (of is None or of != self.object_of(part[-1])):
                yield part
                part = []
            part += batch
            self.tried += batch
        if part:
            yield part

    def judge(self, trials: Sequence[Trial]) -> None:
        """Have trials' calls made, and keep what is wrong with the answers."""
        self._keep_all(trials, self.run(trials))

    def _keep_all(self, trials: Sequence[Trial], answers: Sequence[Outcome]) -> None:
        for trial, answer in until_ended(trials, answers):
            self.keep(trial, answer, trial.case.check)

    def batches(self) -> Iterator[list[Trial]]:
        """Yield all that is tried in the dtype that values are decided in.

        What is called one after another on one object comes together.
        """
        for case in cases(self.function, self.sizes):
            # What cancels in a sum of shifted terms is most of what float32 holds of them.
            if case.gain <= 1 or self.found.work is torch.float64 or not shifts(self.function):
                yield [self.trial(case)]

    def keep(self, trial: Trial, answer: Outcome, check: str) -> None:
        """Count an answer for a check, and keep what is wrong with it."""
        self.found.counts[check] = self.found.counts.get(check, 0) + 1
        # Beside another one of the check a finding is one more, whatever its case.
        kept = self.found.findings
        finding = trial.judge(answer) if check in kept else judged(self, trial, answer)
        if finding is not None:
            kept.setdefault(check, []).append(finding)
        self.found.modified.update(answer.modified)
        self.found.rewritten |= answer.rewritten
        self.found.container = max(self.found.container, answer.many)
        self.found.place = max(self.found.place, answer.place)
        given = trial.dtype if check == "dtypes" else self.found.work
        if trial.in_another_dtype(answer, given):
            trial.answer = answer
            self.found.narrowed = self.found.narrowed or trial
        if trial.keep is not None:
            for out in trial.results(answer):
                if out.shape == trial.expected[0].shape:
                    self.found.nan_rows |= bool(out[~trial.keep.expand(out.shape)].isnan().any())

    def same(self, left: list[Tensor], right: list[Tensor]) -> bool:
        """Whether two calls gave the same, but for an order of sums that a device may choose."""
        return alike(left, right, 1e-9 if self.found.work is torch.float64 else 1e-3)

    def spoilt(self) -> str | None:
        """What an object keeps though it changed: a state as Found has it. A function has none."""
        return None

    def two(self) -> tuple[Case, Case]:
        """Two cases that one object can be called with."""
        many = list(cases(self.function, self.sizes))[:2]
        return many[0], many[-1]

    def plain_trials(self) -> list[Trial]:
        """Calls on the first sizes, those without a mask and those with one."""
        return [
            one for one in map(self.trial, telling(self.kata, self.function, 4)) if not one.missing
        ]

    def pretend(self) -> list[Stray] | None:
        """Make the plain calls on a pretended GPU; return the faults, None where none is made."""
        calls = [trial.call for trial in self.plain_trials()]
        if not calls or self.function.models:  # what trains takes gradients, unfollowed there
            return None
        request = Pretend(recipe=self.recipe, warm=calls[0], calls=calls)
        faults = [one for one in self.candidate.ask(request).answers if one.kind]
        return [replace(fault, of=self.function.name) for fault in faults]

    def elsewhere(self, candidate: Candidate) -> Examination:
        """The same function or class in another process, to be decided in float32."""
        other = copy.copy(self)
        other.candidate, other.found = candidate, Found(work=torch.float32)
        other.low = []
        return other

    def watch(self) -> None:
        """Make calls on the first sizes, in every combination of choices, and keep their steps."""
        equal = regular(self.function, self.sizes) if self.function.memory.largest else ()
        trials = map(self.trial, (*telling(self.kata, self.function, 6), *equal))
        self.seen = self.recorded([trial for trial in trials if not trial.missing])

    def measure(self) -> None:
        """Make plain calls on the first sizes and the next, and keep what memory they take."""
        if not self.function.memory.largest:
            return
        rows = list(islice(self.sizes.rows(), 2))
        many = (case for case in cases(self.function, self.sizes) if case.sizes in rows)
        plain = (self.trial(case) for case in many if not case.grad and case.gain == 1)
        trials = [trial for trial in plain if not trial.missing]
        for trial in trials:
            self.write(trial, Record(growing=True))
        for trial, answer in zip(trials, self.run(trials), strict=True):
            trial.answer = answer
        self.measured = trials

    def again(self, trial: Trial) -> Trial:
        """Make a trial's call once more, and keep its steps."""
        return self.recorded([trial])[0]

    def recorded(self, trials: list[Trial]) -> list[Trial]:
        """Make trials' calls, and keep their steps."""
        for trial in trials:
            self.write(trial, Record(values=True, wide=trial.case.far))
        dtype = trials[0].dtype if trials else None
        kept = [*until_ended(trials, self.run(trials, dtype))]
        for trial, answer in kept:
            trial.answer = answer
            if len(answer.steps) >= LIMIT:
                answer.steps = []
        return [trial for trial, _ in kept]


def _silenced(record: Record | None) -> Record:
    """What is noted of a call in train mode, where torch's dropouts are silenced."""
    return replace(record or Record(steps=False), silent=True)
