"""The checks: what is tried on a class that can be made and called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ....kata.catalogue import Kata
from ...process.wire import dtype_name
from ..compare import VALUE_BOUND, alike, low_precision_bound
from .cases import (
    GAIN,
    LARGE_GAIN,
    Case,
    beyond,
    grid,
    large,
    sizes,
    tiny,
    training,
    training_size,
)  # fmt: skip
from .fitting import Fitted
from .plan import Size
from .questions import Drawn, Questions
from .trials import Finding, Trial, answers_of

__all__ = ["Examination", "Outcome", "Ready"]

# How often one object is called to see whether it stays the same.
_REPEATS = 7
# What is tried at each size.
Ready = dict[Size, Drawn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one case went. kind: the finding's, or nothing where it was right."""

    check: str
    batch: int
    queries: int
    train: bool
    kind: str
    line: int | None


class Examination:
    """Tries one fitted class, and keeps what was found by check.

    convention: what a mask means, "keep", "drop" or "additive".
    """

    def __init__(self, kata: Kata, fitted: Fitted, convention: str) -> None:
        self.kata = kata
        self.fitted = fitted
        self.convention = convention
        self.cross = fitted.cross
        self.counts: dict[str, int] = {}
        self.findings: dict[str, list[Finding]] = {}
        self.forms: list[str] = []
        self.mask_dtypes: list[torch.dtype] = []
        self.dropped_forms: list[str] = []
        self.dropped_dtypes: list[torch.dtype] = []
        self.nan_rows = False
        self.half_faults: list[dict[str, Any]] = []
        self.skipped_dtypes: list[torch.dtype] = []
        self.autocast = False
        self.modified: set[str] = set()
        self.state: str | None = None
        self.prefix: int | None = None
        self.lengths: set[int] = set()
        self.unused: set[str] = set()
        self.outcomes: list[Outcome] = []
        self.misfits: dict[Size, dict[str, Any] | None] = {}
        self.narrowed: str | None = None
        self.late = False
        self.questions = Questions(kata, fitted, convention)

    @property
    def sizes(self) -> list[Size]:
        """The configurations that are tried."""
        return sizes(self.kata.contract, self.fitted.fixed_heads)

    @property
    def takes_mask(self) -> bool:
        """Whether the kata has a mask and forward an argument for it."""
        return bool(self.kata.contract.masks) and self.fitted.binding.forward.mask is not None

    @property
    def telling_mask(self) -> tuple[str, torch.dtype]:
        """A form and dtype of mask with which something went wrong, else the first."""
        failed = [f.trial for f in self.findings.get("mask", []) if f.kind == "values"]
        wide = [t for t in failed if "Q" in t.mask_form] or failed
        if not wide:
            return self.forms[0], self.mask_dtypes[0]
        return wide[0].mask_form, getattr(torch, wide[0].mask_dtype)

    def work_bound(self, size: Size, length: int) -> float:
        """The bound of the dtype in which values are decided."""
        if self.fitted.work is torch.float64:
            return VALUE_BOUND
        return max(VALUE_BOUND, low_precision_bound(self.fitted.work, size.hidden, length, 10))

    # -- the steps -------------------------------------------------------------------

    def prepare(self, many: Iterable[Size]) -> Ready:
        """Draw weights for several sizes and set the references up.

        A size at which the class cannot be made, or at which its weights have no roles
        though they had some at another, is a finding.
        """
        many = list(many)
        self.fitted.foresee(many)
        ready = {}
        for size in many:
            drawn = self.questions.draw(size, GAIN)
            if drawn is None:
                self.misfits[size] = self.fitted.faults.get(size)
            else:
                ready[size] = drawn
        return ready

    def try_grid(self, ready: Ready) -> Iterator[None]:
        """Values, masks, lengths, stability and gradients, in float64: a size at each step.

        The candidate runs one size while the next one's answers are worked out.
        """
        turn = 0
        rows = [
            (drawn, list(grid(self.kata.contract, size, place)))
            for place, (size, drawn) in enumerate(ready.items())
        ]
        if rows:
            drawn, found = rows[0]
            rows[0] = (drawn, [*tiny(self.kata.contract), *found])
        for size in list(ready)[:2]:
            sharp = self.questions.draw(size, LARGE_GAIN)
            if sharp is not None:
                rows.append((sharp, list(large(self.kata.contract))))
        for drawn, found in rows:
            trials = []
            for case in found:
                if case.mask is not None and not self.takes_mask:
                    continue
                turn += 1
                form = self.forms[turn % len(self.forms)] if case.mask else ""
                bound = self.work_bound(drawn.size, case.keys)
                if case.gain > 1:
                    bound = max(bound, 1e-3 if self.fitted.work is not torch.float64 else 1e-4)
                trials.append(
                    self.questions.pose(
                        drawn, case, form=form, mask_dtype=self.mask_dtype(turn), bound=bound
                    )
                )
                self.lengths.add(case.queries)
            drawn.answer(trials)
            self._begin(drawn, trials)
            yield

    def try_training(self) -> None:
        """Train mode, with torch's dropouts silenced and a rate of 0 asked for."""
        size = training_size(self.kata.contract, self.fitted.fixed_heads)
        drawn = self.prepare([size]).get(size)
        if drawn is None:
            return
        trials = [
            self.questions.pose(
                drawn, case, form=self.forms[0] if case.mask else "",
                mask_dtype=self.mask_dtype(0), bound=self.work_bound(size, case.keys),
            )
            for case in training(self.kata.contract)
            if case.mask is None or (self.takes_mask and self.forms)
        ]  # fmt: skip
        drawn.answer(trials)
        silenced = {"record": {"only_dropout": [], "steps": False}}
        self._begin(drawn, [replace(one, call=one.call | silenced) for one in trials])

    def try_beyond(self) -> None:
        """Sizes that people use, where all is right at small ones: long inputs, and wide ones."""
        self.late = True
        sizes = beyond(self.kata.contract, self.fitted.fixed_heads)
        self.fitted.foresee(list(sizes))
        many = {size: cases for size, cases in sizes.items() if self.fitted.affords(size)}
        for size, drawn in self.prepare(many).items():
            trials = [
                self.questions.pose(
                    drawn, case, form=self.forms[0] if case.mask else "",
                    mask_dtype=self.mask_dtype(0), bound=self.work_bound(size, case.keys),
                )
                for case in many[size]
                if case.mask is None or (self.takes_mask and self.forms)
            ]  # fmt: skip
            drawn.answer(trials)
            self.lengths |= {trial.case.queries for trial in trials}
            self._begin(drawn, trials)

    def mask_dtype(self, turn: int) -> torch.dtype:
        """One of the dtypes that the mask is taken in, by turns."""
        return self.mask_dtypes[turn % len(self.mask_dtypes)] if self.mask_dtypes else torch.int64

    def _begin(self, drawn: Drawn, trials: list[Trial]) -> None:
        calls = [trial.call for trial in trials]
        run = self.fitted.entry(drawn.size, drawn.weights, calls, self.fitted.work)
        self.fitted.begin([run], lambda results: self._collect(trials, results[0]))

    def _collect(self, trials: list[Trial], result: dict[str, Any]) -> None:
        for trial, answer in zip(trials, answers_of(result, len(trials)), strict=True):
            check = trial.case.check
            self.counts[check] = self.counts.get(check, 0) + 1
            finding = trial.judge(answer)
            self.outcomes.append(_outcome(trial, finding))
            if finding is not None:
                self.findings.setdefault(check, []).append(finding)
            self.modified.update(answer.get("modified", []))
            self.unused |= {n for n, g in answer.get("grads", {}).items() if g is None}
            out = answer.get("out")
            if isinstance(out, Tensor) and out.dtype is not self.fitted.work:
                self.narrowed = dtype_name(out.dtype)
            if (
                isinstance(out, Tensor)
                and trial.keep is not None
                and out.shape == trial.expected.shape
            ):
                empty = ~trial.keep.expand(out.shape)
                self.nan_rows |= bool(out[empty].isnan().any())

    def try_purity(self, ready: Ready) -> None:
        """The same call again after others, and prefixes of one sequence for causal code."""
        size, drawn = next(iter(ready.items()))
        work = self.fitted.work
        first = Case(check="purity", batch=2, queries=4, keys=6 if self.cross else 4)
        other = Case(check="purity", batch=3, queries=6, keys=5 if self.cross else 6)
        one = self.questions.pose(drawn, first)
        twin = self.questions.pose(drawn, first, again=True)
        two = self.questions.pose(drawn, other)
        trained = dict(one.call, train=True)
        # Again at once, after other values of the same shape, and after all the rest.
        calls = [one.call, one.call, twin.call, one.call, two.call, trained, one.call]
        runs = [self.fitted.entry(size, drawn.weights, calls, work)]
        if self.kata.contract.causal:
            runs.append(self._prefixes(drawn))
        # Of two calls of one shape the second may get what was kept of the first.
        alike = self._alike(drawn, first)
        runs.append(self.fitted.entry(size, drawn.weights, [each.call for each in alike], work))
        self.fitted.begin(runs, lambda results: self._judge_purity(results, alike))

    def _alike(self, drawn: Drawn, case: Case) -> list[Trial]:
        """Two trials that differ in what they hold alone: in a mask too, where there is one."""
        masked = self.takes_mask and bool(self.forms)
        case = replace(case, mask="random" if masked else None)
        form = self.forms[0] if masked else ""
        bound, mask_dtype = self.work_bound(drawn.size, case.keys), self.mask_dtype(0)
        trials = [
            self.questions.pose(
                drawn, case, form=form, mask_dtype=mask_dtype, bound=bound, again=again
            )
            for again in (False, True)
        ]
        drawn.answer(trials)
        return trials

    def _judge_purity(self, results: list[dict[str, Any]], alike: list[Trial]) -> None:
        answers = results[0].get("answers", [])
        self.counts["purity"] = len(answers)
        outs = [answer.get("out") for answer in answers]
        if len(outs) == _REPEATS and all(isinstance(outs[i], Tensor) for i in (0, 1, 3, 6)):
            if not self._same(outs[0], outs[1]):
                self.state = "fail-random"
            elif not (self._same(outs[0], outs[3]) and self._same(outs[0], outs[6])):
                self.state = "fail-state"
        elif outs and isinstance(outs[0], Tensor):
            self.state = "fail-state"
        for answer in answers:
            self.modified.update(answer.get("modified", []))
        if len(results) > 2:
            self._judge_prefixes(results[1].get("answers", []))
        wrong = [
            trial.judge(answer)
            for trial, answer in zip(alike, answers_of(results[-1], len(alike)), strict=True)
        ]
        right = not self.findings.get("values") and not self.findings.get("mask")
        if right and any(wrong) and self.state is None:
            self.state = "fail-kept"

    def _prefixes(self, drawn: Drawn) -> dict[str, Any]:
        case = Case(check="causality", batch=2, queries=9, keys=9)
        trial = self.questions.pose(drawn, case)
        calls = []
        for length in range(1, 10):
            inputs = {name: tensor[:, :length] for name, tensor in trial.call["inputs"].items()}
            calls.append(dict(trial.call, inputs=inputs))
        return self.fitted.entry(drawn.size, drawn.weights, calls, self.fitted.work)

    def _judge_prefixes(self, answers: list[dict[str, Any]]) -> None:
        outs = [answer.get("out") for answer in answers]
        self.counts["causality"] = len(outs)
        if not outs or not isinstance(outs[-1], Tensor):
            return
        whole = outs[-1]
        for length, out in enumerate(outs[:-1], start=1):
            if not isinstance(out, Tensor) or out.dim() != 3:
                continue
            if not self._same(out, whole[:, :length]):
                self.prefix = length
                return

    def _same(self, left: Tensor, right: Tensor) -> bool:
        """Whether two of the candidate's own outputs agree, float32 detours allowed for."""
        return alike(left, right, 1e-5 if self.fitted.work is torch.float64 else 1e-3)


def _outcome(trial: Trial, finding: Finding | None) -> Outcome:
    fault = finding.fault if finding is not None else None
    return Outcome(
        check=trial.case.check,
        batch=trial.case.batch,
        queries=trial.case.queries,
        train=trial.case.train,
        kind=finding.kind if finding is not None else "",
        line=fault["line"] if fault is not None else None,
    )
