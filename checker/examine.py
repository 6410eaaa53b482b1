"""The checks: what is tried on a class that can be made and called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..kata.catalogue import Kata
from . import masks
from .cases import (
    GAIN,
    LARGE_GAIN,
    Case,
    draw_inputs,
    draw_weights,
    grid,
    large,
    sizes,
    tiny,
    training,
    training_size,
)
from .compare import VALUE_BOUND, alike, low_precision_bound
from .fitting import Fitted
from .plan import Size
from .trials import Finding, Trial, work_out
from .truth import Truth, numel
from .wire import dtype_name

__all__ = ["Examination", "Outcome", "Ready"]

# How often one object is called to see whether it stays the same.
_REPEATS = 7
# What is tried at each size: the weights that were drawn, and the reference that has them.
Ready = dict[Size, tuple[dict[str, Tensor], Truth]]


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
        self.cross = kata.contract.source == "cross"
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
        self.draw = fitted.draw

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

    # -- making trials ---------------------------------------------------------------

    def draw_mask(
        self, case: Case, size: Size, form: str, mask_dtype: torch.dtype, work: torch.dtype
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Draw a case's mask: as the reference takes it, the rows that count, as it is handed over.

        Without a mask the first two are None, and the third is what stands for no mask.
        """
        if case.mask is None:
            return None, None, self.fitted.none_mask(case)
        axes = (case.batch, size.heads, case.queries, case.keys)
        mask = masks.draw(case.mask, form, axes, self.draw)
        keep = masks.full_rows(mask, case.queries).expand(case.batch, -1, -1)
        dressed = masks.dress(mask, form, self.convention, mask_dtype, work)
        return masks.for_reference(mask, self.kata.contract.masks, axes), keep, dressed

    def trial(
        self,
        case: Case,
        size: Size,
        truth: Truth,
        dtype: torch.dtype,
        *,
        form: str = "",
        mask_dtype: torch.dtype = torch.int64,
        check_bound: float | None = None,
    ) -> Trial:
        """Draw a case's inputs, work out the right answer, and write the call."""
        trial = self._unanswered(case, size, dtype, form, mask_dtype, check_bound)
        if case.grad:
            trial.call["grad"] = self._gradients(trial, truth)
        else:
            work_out(truth, [trial])
        return trial

    def _unanswered(
        self,
        case: Case,
        size: Size,
        dtype: torch.dtype,
        form: str,
        mask_dtype: torch.dtype,
        check_bound: float | None,
    ) -> Trial:
        inputs = draw_inputs(case, self.fitted.binding, size.hidden, self.draw, cross=self.cross)
        if dtype != torch.float64:
            inputs = {name: tensor.to(dtype).double() for name, tensor in inputs.items()}
        right, keep, dressed = self.draw_mask(case, size, form, mask_dtype, dtype)
        extra: dict[str, Any] = {}
        if right is not None and dressed is not None:
            extra["mask_layout"] = {"strided": case.strided and dressed.dim() > 1}
        call = self.fitted.binding.forward.call(
            inputs,
            dressed,
            shape=[case.batch, case.queries, size.hidden],
            train=case.train,
            strided=tuple(inputs) if case.strided else (),
            **extra,
        )
        return Trial(
            case=case,
            size=size,
            call=call,
            inputs=inputs,
            mask=right,
            bound=check_bound or VALUE_BOUND,
            keep=keep,
            mask_form=form,
            mask_dtype=dtype_name(mask_dtype),
            dtype=dtype,
        )

    def _gradients(self, trial: Trial, truth: Truth) -> Tensor:
        roles = self.fitted.roles(trial.size)
        leaves = {name: t.clone().requires_grad_(True) for name, t in trial.inputs.items()}
        truth.module.zero_grad()
        for held in truth.extra_output or ():
            held.grad = None
        out = truth.run(leaves, trial.mask)
        upstream = torch.randn(out.shape, generator=self.draw, dtype=torch.float64)
        if trial.keep is not None:
            upstream = upstream * trial.keep
        (out * upstream).sum().backward()
        trial.expected = out.detach()
        trial.input_grads = {n: t.grad for n, t in leaves.items() if t.grad is not None}
        trial.parameter_grads = {}
        if roles is not None:
            flat = truth.gradients(roles)
            start = 0
            for name, shape in roles.shapes.items():
                count = numel(shape)
                trial.parameter_grads[name] = flat[start : start + count].reshape(shape)
                start += count
        return upstream

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
            shapes = self.fitted.shapes(size)
            if not shapes:
                self.misfits[size] = self.fitted.faults.get(size)
                continue
            weights = draw_weights(shapes, size.hidden, GAIN, self.draw)
            if self.fitted.work is not torch.float64:
                weights = {n: w.to(self.fitted.work).double() for n, w in weights.items()}
            truth = self.fitted.truth(size, weights)
            if truth is None:
                self.misfits[size] = None
            else:
                ready[size] = (weights, truth)
        return ready

    def try_grid(self, ready: Ready) -> None:
        """Values, masks, lengths, stability and gradients, in float64, over all sizes."""
        turn = 0
        rows = [
            (size, *held, list(grid(self.kata.contract, size, place)))
            for place, (size, held) in enumerate(ready.items())
        ]
        if rows:
            size, weights, truth, found = rows[0]
            rows[0] = (size, weights, truth, [*tiny(self.kata.contract), *found])
        rows += self._large_rows(list(ready)[:2])
        for size, weights, truth, found in rows:
            trials = []
            for case in found:
                if case.mask is not None and not self.takes_mask:
                    continue
                turn += 1
                form = self.forms[turn % len(self.forms)] if case.mask else ""
                mask_dtype = self.mask_dtype(turn)
                bound = self.work_bound(size, case.keys)
                if case.gain > 1:
                    bound = max(bound, 1e-3 if self.fitted.work is not torch.float64 else 1e-4)
                trial = self._unanswered(case, size, self.fitted.work, form, mask_dtype, bound)
                if case.grad:
                    trial.call["grad"] = self._gradients(trial, truth)
                trials.append(trial)
                self.lengths.add(case.queries)
            work_out(truth, [trial for trial in trials if not trial.case.grad])
            # The candidate runs one size while the next one's answers are worked out here.
            self._begin(size, weights, trials)

    def _large_rows(
        self, many: list[Size]
    ) -> list[tuple[Size, dict[str, Tensor], Truth, list[Case]]]:
        rows = []
        for size in many:
            shapes = self.fitted.shapes(size)
            weights = draw_weights(shapes, size.hidden, LARGE_GAIN, self.draw)
            truth = self.fitted.truth(size, weights)
            if truth is not None:
                rows.append((size, weights, truth, list(large(self.kata.contract))))
        return rows

    def try_training(self) -> None:
        """Train mode, with torch's dropouts silenced and a rate of 0 asked for."""
        size = training_size(self.kata.contract, self.fitted.fixed_heads)
        ready = self.prepare([size])
        if size not in ready:
            return
        weights, truth = ready[size]
        trials = []
        for case in training(self.kata.contract):
            if case.mask is None or (self.takes_mask and self.forms):
                trial = self.trial(
                    case, size, truth, self.fitted.work,
                    form=self.forms[0] if case.mask else "", mask_dtype=self.mask_dtype(0),
                    check_bound=self.work_bound(size, case.keys),
                )  # fmt: skip
                trial.call["record"] = {"only_dropout": []}
                trials.append(trial)
        self._begin(size, weights, trials)

    def mask_dtype(self, turn: int) -> torch.dtype:
        """One of the dtypes that the mask is taken in, by turns."""
        return self.mask_dtypes[turn % len(self.mask_dtypes)] if self.mask_dtypes else torch.int64

    def _begin(self, size: Size, weights: dict[str, Tensor], trials: list[Trial]) -> None:
        calls = [trial.call for trial in trials]
        run = self.fitted.entry(size, weights, calls, self.fitted.work)
        self.fitted.begin([run], lambda results: self._collect(trials, results[0]))

    def _collect(self, trials: list[Trial], result: dict[str, Any]) -> None:
        answers: list[dict[str, Any]] = result.get("answers") or [
            {"fault": result.get("fault")}
        ] * len(trials)
        for trial, answer in zip(trials, answers, strict=True):
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
        size, (weights, truth) = next(iter(ready.items()))
        work = self.fitted.work
        first = Case(check="purity", batch=2, queries=4, keys=6 if self.cross else 4)
        other = Case(check="purity", batch=3, queries=6, keys=5 if self.cross else 6)
        one = self.trial(first, size, truth, work)
        twin = self.trial(first, size, truth, work)
        two = self.trial(other, size, truth, work)
        trained = dict(one.call, train=True)
        # Again at once, after other values of the same shape, and after all the rest.
        calls = [one.call, one.call, twin.call, one.call, two.call, trained, one.call]
        runs = [self.fitted.entry(size, weights, calls, work)]
        if self.kata.contract.causal:
            runs.append(self._prefixes(size, weights, truth))
        self.fitted.begin(runs, self._judge_purity)

    def _judge_purity(self, results: list[dict[str, Any]]) -> None:
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
        if len(results) > 1:
            self._judge_prefixes(results[1].get("answers", []))

    def _prefixes(self, size: Size, weights: dict[str, Tensor], truth: Truth) -> dict[str, Any]:
        case = Case(check="causality", batch=2, queries=9, keys=9)
        trial = self.trial(case, size, truth, self.fitted.work)
        calls = []
        for length in range(1, 10):
            inputs = {name: tensor[:, :length] for name, tensor in trial.call["inputs"].items()}
            calls.append(dict(trial.call, inputs=inputs))
        return self.fitted.entry(size, weights, calls, self.fitted.work)

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
