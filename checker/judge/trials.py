"""One call of a submission's function beside what the model answer makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ...kata.functions import Function, Result
from ..process.answers import Outcome, Run
from ..process.requests import Call
from ..process.wire import dtype_name
from . import finding
from .case import Case
from .compare import GRADIENT_BOUND, alike, gap
from .given import Given

__all__ = ["Finding", "Trial", "answers_of", "by_dtype", "same", "until_ended"]

_FULL = torch.float32.itemsize
# What `view` and `view_as_complex` say of an input that is not contiguous: a precondition of
# theirs, not a mistake.
_LAYOUT = (
    "view size is not compatible", "last dimension with stride 1", "stride divisible by 2",
)  # fmt: skip
_LATER = 1 << 40


Finding = finding.Finding["Trial"]
Row = tuple[str, Tensor, Tensor | None]


@dataclass(slots=True, kw_only=True)
class Trial:
    """A case with its arguments, the call that tries it, and the right answer.

    keep: the rows of the results that count, None for all. missing: the argument that the
    case needs and the submission has not. unread: whether the right answer was worked out without
    weights, since the submission's do not fit. answer: what came back. weight_grads: those of an
    object's weights, by the submission's names. group: calls on one object, one after another.
    autocast: whether products are to be made in this dtype, the rest in float32. wide: whether an
    object's buffers stay in the dtype in which they were made.
    """

    function: Function
    case: Case
    given: Given
    expected: tuple[Tensor, ...]
    bound: float
    call: Call = field(default_factory=Call)
    keep: Tensor | None = None
    dtype: torch.dtype = torch.float64
    autocast: bool = False
    wide: bool = False
    grads: dict[str, Tensor] = field(default_factory=dict)
    weight_grads: dict[str, Tensor] = field(default_factory=dict)
    group: int = 0
    missing: str = ""
    unread: bool = False
    answer: Outcome = field(default_factory=Outcome)

    @property
    def posed(self) -> Given:
        """What an edited model answer is given: in half precision where the submission was.

        And in the dtype that decides, where there is but one.
        """
        narrow = self.dtype.itemsize < _FULL or self.function.work == (dtype_name(self.dtype),)
        given = self.given.within(self.dtype) if narrow else self.given
        return given.strided(self.case.lying(given.tensors)) if self.function.laid else given

    @property
    def weight(self) -> int:
        """How large the case is, for showing the smallest that fails."""
        size = sum(one.numel() for one in self.expected) * 2 + (self.case.mask is not None)
        # What fails alone says more than what fails after other calls, or by an arranged draw.
        return size + _LATER * (bool(self.case.schedule) or self.case.arranged)

    @property
    def shapes(self) -> list[list[int]]:
        """The shapes of all results, where None stands in a result's place that of a number."""
        left = len(self.function.results) - len(self.expected)
        return [*(list(one.shape) for one in self.expected), *([] for _ in range(left))]

    def few(self, many: int) -> bool:
        """Whether fewer came back together than there are results, None among them."""
        return 1 < len(self.function.results) > many

    @property
    def wrong(self) -> bool:
        """Whether what came back is not right."""
        return self.judge(self.answer) is not None

    @property
    def misshapen(self) -> bool:
        """Whether what came back has another shape."""
        finding = self.judge(self.answer)
        return finding is not None and finding.kind == "shape"

    def judge(self, answer: Outcome) -> Finding | None:
        """Compare an answer with what is right."""
        self.answer = answer
        if self.missing:
            return Finding(kind="missing", trial=self, name=self.missing)
        # Where gradients are all that is asked for, the same case is tried without them.
        alone = self.case.finite
        if answer.fault is not None:
            if alone and answer.fault.phase != "backward":
                return None
            if self.case.lies and any(s in answer.fault.message for s in _LAYOUT):
                return None
            return Finding(kind="raised", trial=self, fault=answer.fault)
        wrong = self._judge_results(answer)
        if wrong is not None and alone:
            return None
        if wrong is None and self.given.kept and not answer.carried:
            return Finding(kind="uncarried", trial=self, name=self.given.state)
        if wrong is not None or not (self.grads or self.weight_grads):
            return wrong
        return self._judge_gradients(answer)

    @property
    def tells(self) -> bool:
        """Whether what is wrong in its answer is more than NaN or infinity in numbers' places."""
        wrong = self.judge(self.answer)
        if wrong is None or wrong.actual is None or wrong.expected is None or wrong.gap is None:
            return wrong is not None
        mine, right = wrong.actual.double(), wrong.expected.double()
        off = (mine - right).abs() > self.bound * (1 + right.abs())
        return bool((off & mine.isfinite()).any())

    def results(self, answer: Outcome) -> list[Tensor]:
        """The tensors that came back for the results asked for."""
        if len(self.function.results) > 1:
            return list(answer.outs)
        out = answer.out
        return [out] if isinstance(out, Tensor) else []

    def in_another_dtype(self, answer: Outcome, given: torch.dtype) -> bool:
        """Whether floats come out in another dtype than they were given in; losses are a log.

        What comes in half precision may come out in float32, as what autocast is used on.
        """
        asked, out = self.function.results[0], next(iter(self.results(answer)), None)
        half = self.autocast or given.itemsize < torch.float32.itemsize
        right = {given, torch.float32} if half else {given}
        if out is None or out.dtype in right or not out.is_floating_point():
            return False
        if self.function.models or asked.any_dtype or asked.dtype_of:
            return False
        return any(one.is_floating_point() for one in self.given.tensors.values())

    def _judge_results(self, answer: Outcome) -> Finding | None:
        actual = self.results(answer)
        if not actual:
            return Finding(kind="none", trial=self, words=str(answer.container))
        if len(actual) != len(self.expected) or self.few(answer.many):
            return Finding(kind="count", trial=self, words=str(len(actual)))
        for asked, mine, right in zip(self.function.results, actual, self.expected, strict=False):
            wrong = self._judge_one(asked, mine, right)
            if wrong is not None:
                return wrong
        return None

    def _judge_one(self, asked: Result, mine: Tensor, right: Tensor) -> Finding | None:
        told: dict[str, Any] = {"name": asked.name, "actual": mine, "expected": right}
        if mine.shape != right.shape:
            return Finding(kind="shape", trial=self, **told)
        # Autocast is free to choose.
        if not (self.autocast and mine.is_floating_point()) and not _fits(asked, mine, self.dtype):
            return Finding(kind="dtype", trial=self, words=dtype_name(mine.dtype), **told)
        bound = self.bound if asked.holds == "floats" else 0.0
        keep = self.kept(right)
        found = gap(mine, right, bound, keep)
        return Finding(kind="values", trial=self, gap=found, **told) if found.wrong else None

    def kept(self, right: Tensor) -> Tensor | None:
        """Spread the rows that count over a result that has them; None where it has no such rows.

        Heads that were merged in the first result may stand apart in another.
        """
        if self.keep is None:
            return None
        keep = self.keep.unsqueeze(1) if right.dim() > self.keep.dim() else self.keep
        try:
            return keep.expand(right.shape)
        except RuntimeError:
            return None

    def _judge_gradients(self, answer: Outcome) -> Finding | None:
        # A weight tells more of where it goes wrong than an input, which all of them reach.
        rows: list[Row] = [(name, right, answer.grads.get(name))
                           for name, right in self.weight_grads.items()]  # fmt: skip
        rows += [(name, right, answer.input_grads.get(name)) for name, right in self.grads.items()]
        # A result without a path has a gradient of 0, which is right where all of them are.
        if not answer.attached and any(bool(right.any()) for _, right, _ in rows):
            return Finding(kind="detached", trial=self)
        return next(self.wrong_gradients(rows), None)

    def wrong_gradients(self, rows: Sequence[Row], share: float = 1) -> Iterator[Finding]:
        """Yield what is wrong with gradients: the name of each, the right one, and what came back.

        share: of the bound, that is allowed.
        """
        # Of large inputs a detour through float32 leaves as little as it does of results.
        bound = max(GRADIENT_BOUND, self.bound) if self.case.gain > 1 else GRADIENT_BOUND
        # A weight may have a side of 0.
        rows = [row for row in rows if row[1].numel()]
        largest = max((float(right.abs().max()) for _, right, _ in rows), default=0.0)
        for name, right, mine in rows:
            # Beside the others it is 0, but for what was rounded away.
            idle = float(right.abs().max()) <= 1e-9 * largest
            if mine is None or mine.shape != right.shape:
                if not idle:
                    yield Finding(kind="detached", trial=self, name=name)
                continue
            if idle and float(mine.abs().max()) <= bound * share * largest:
                continue
            asked = torch.full_like(right, 0) if idle else right
            asked = mine.double().where(mine.isfinite(), asked) if self.case.finite else asked
            found = gap(mine, asked, bound * share)
            if found.wrong:
                yield Finding(
                    kind="gradient", trial=self, name=name, gap=found, actual=mine, expected=asked
                )


def _fits(asked: Result, tensor: Tensor, dtype: torch.dtype) -> bool:
    """Whether a result has a dtype that is asked for. dtype: the one that floats were given in."""
    if asked.dtype_of:
        return tensor.dtype is dtype
    wanted = asked.holds
    if wanted == "floats":
        return tensor.is_floating_point()
    if wanted == "booleans":
        return tensor.dtype is torch.bool
    return not tensor.is_floating_point() and tensor.dtype is not torch.bool


def until_ended(
    trials: Sequence[Trial], answers: Sequence[Outcome]
) -> Iterator[tuple[Trial, Outcome]]:
    """Yield each call that was made, with its answer.

    In a series one that raises, or hands nothing on, is the last: the next has no start.
    """
    ended: set[int] = set()
    for trial, answer in zip(trials, answers, strict=True):
        if trial.group in ended:
            continue
        yield trial, answer
        if trial.group and not answer.carried:
            ended.add(trial.group)


def by_dtype(finding: Finding) -> bool:
    """Whether a call raised for a dtype that the code has fixed."""
    message = "" if finding.fault is None else finding.fault.message.lower()
    # The last is float64's lowest number, put into a tensor that is float32 as it is made.
    told = ("dtype", "expected scalar type", "same type", "to type float without overflow")
    return any(words in message for words in told)


def same(left: list[Tensor], right: list[Tensor], close: float) -> bool:
    """Whether two calls gave the same, to a share of the largest entry."""
    return len(left) == len(right) and all(
        a.shape == b.shape and alike(a.double(), b.double(), close)
        for a, b in zip(left, right, strict=True)
    )


def answers_of(result: Run, count: int) -> list[Outcome]:
    """A run's answers; where its object could not be made, that fault for each of its calls."""
    return result.answers or [Outcome(fault=result.fault)] * count
