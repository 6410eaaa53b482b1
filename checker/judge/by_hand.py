"""Dropout that is made by hand: read from what train mode gives, whoever drew it.

The output is linear in the weights, with no more keys than features invertibly so; solved for what
each weight is multiplied by, dropout gives 0 or one constant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ..diagnose.giveaways import RANDOM
from ..process.answers import Outcome, Step
from ..process.requests import Record
from .case import Case
from .dropout_finding import DropoutFinding, Reading, together
from .given import Given
from .trials import Trial
from .truth import FAULTS, Answers, Ready, executed, made, source_of
from .weighing import Weighing

__all__ = ["read_by_hand", "restoring_line", "with_weights_scaled"]

_SAMPLES = 24
# How near to 0 or to the constant a multiplier is, and how near a solution.
_APART, _CLOSE = 3e-3, 1e-5
# Beside the largest, what a weight does to the output where it is not 0, and how far a few
# operations in float32 are off.
_NONE, _ROUNDED = 1e-12, 1.2e-7
_DRAWING = {name.strip("_") for name in RANDOM}
_DROPPING = {"mul", "rmul", "imul", "masked_fill", "where", "setitem"}
_COMPARING = {"lt", "le", "gt", "ge", "less", "less_equal", "greater", "greater_equal"}
# What brings weights that were dropped back to a sum of 1.
_RESTORING = {"div", "truediv", "itruediv", "true_divide", "normalize", "softmax"}
# A line after the one that makes the weights, which multiplies them by what is asked.
_WEIGHTS = re.compile(r"^( +)(weights = .*)$", re.MULTILINE)
_MULTIPLIED = r"\1\2\n\1weights = weights if MULTIPLIERS is None else weights * MULTIPLIERS"


def read_by_hand(one: Weighing, first: Trial, *, silent: bool = True) -> DropoutFinding:
    """Say where a call in train mode drops something, with torch's own dropouts silenced.

    On the weights, nowhere ("noise": what is drawn is no dropout of them; "none": they are left as
    they are), or unknown where that cannot be told. silent: False to read torch's own.
    """
    unknown = DropoutFinding(
        place="unknown", asked=one.construction and one.construction.asked_rate
    )
    case = _narrow(one, first.case)
    answer = _with_multipliers(one.kata, source_of(one.right))
    if case is None or answer is None:
        return unknown
    plain = one.trial(case)
    trial = one.in_training(plain)
    # Made as for eval, where the rate is the one asked for.
    call = replace(trial.call, record=Record(silent=silent))
    (done,) = one.answered([one.series(plain, [call])])
    out = trial.results(done)
    if not out or out[0].shape != trial.expected[0].shape:
        return unknown
    try:
        solved = _solved(one, answer[one.function.name], trial, out[0])
    except (ArithmeticError, *FAULTS):
        return unknown
    reading = None if solved is None else _read(*solved[:2])
    if reading is not None and not reading.dropped and abs(reading.factor - 1) <= _APART:
        return replace(unknown, place="none")
    if reading is not None:
        drawn, held, used = _lines(done)
        # What rate it is is said where the numbers are held against it.
        line = drawn if reading.together else held or drawn
        return replace(unknown, place="weights", reading=reading, line=line, next=used)
    if solved is not None and _restored(*solved):
        return replace(unknown, place="weights", undone="whole", next=restoring_line(done))
    # Zeros in the output were dropped there, which is fine beside the weights' own dropout.
    beside = bool(one.module.dropout) or bool((out[0] == 0).any())
    return unknown if beside else replace(unknown, place="noise")


def _restored(multipliers: Tensor, seen: Tensor, weights: Tensor) -> bool:
    """Whether some weights are dropped, and what is left of a row grows so that it adds up to 1."""
    kept = multipliers.abs() > _APART
    rows = kept.any(-1, keepdim=True)
    # Weights too small to be read are most of what is left, where the largest is dropped.
    grown = torch.where(rows, 1 / (weights * kept).sum(-1, keepdim=True), 1.0)
    exact = (torch.where(kept, multipliers - grown, multipliers) / grown)[seen].abs()
    return bool((kept != seen)[seen].any()) and bool((exact <= _APART).all())


def restoring_line(answer: Outcome) -> int | None:
    """The line that divides, first after what was last dropped, or drawn, in a call."""
    steps = answer.steps
    drops = [n for n, step in enumerate(steps) if step.call.strip("_") in {"dropout", *_DRAWING}]
    later = _called(steps[drops[-1] :], _RESTORING) if drops else None
    if later is None or not later.lines:
        return None
    # A helper that is given what was dropped does right by itself: who calls it is meant.
    depth = max(len(steps[drops[-1]].lines), 1)
    return later.lines[-depth:][0]


def _lines(answer: Outcome) -> tuple[int | None, int | None, int | None]:
    """The line that draws random numbers, the one that compares them, and that drops with them."""
    drawn = _called(answer.steps, _DRAWING)
    if drawn is None:
        return None, None, None
    later = answer.steps[answer.steps.index(drawn) :]
    held, used = (_called(later, names) for names in (_COMPARING, _DROPPING))
    return drawn.line, held and held.line, used and used.line


def _called(steps: Sequence[Step], names: Collection[str]) -> Step | None:
    """The first step that calls one of these."""
    return next((step for step in steps if step.call.strip("_") in names), None)


def _read(multipliers: Tensor, seen: Tensor) -> Reading | None:
    """Read what the weights seen are multiplied by; None where it is more than 0 and a constant."""
    kept = seen & (multipliers.abs() > _APART)
    factor = float(multipliers[kept].median()) if bool(kept.any()) else 0.0
    exact = torch.where(kept, multipliers - factor, multipliers)[seen].abs()
    if bool((exact > _APART * max(1.0, abs(factor))).any()):
        return None
    count = int(seen.sum())
    return Reading(
        factor=factor, dropped=1 - int(kept.sum()) / max(count, 1), count=count,
        together=together(kept, seen),
    )  # fmt: skip


def _narrow(one: Weighing, case: Case) -> Case | None:
    """The case with many samples, and no more positions than a head has features."""
    symbols = one.sizes.symbols
    if not {"batch", "length"} <= symbols.keys():
        return None
    width = case.sizes[symbols.get("head_dim", symbols.get("hidden_dim", "batch"))]
    few = {symbols["batch"]: _SAMPLES, symbols["length"]: min(width, 4)}
    return replace(case, sizes=one.sizes.row({**case.sizes, **few}), mask=None, lies="", grad=False)


def with_weights_scaled(one: Weighing, given: Given, scale: float) -> Tensor | None:
    """What the model answer gives where all weights are scaled, None where none can be named."""
    answer = _with_multipliers(one.kata, source_of(one.right))
    if answer is None:
        return None
    with torch.no_grad():
        return _multiplied(answer[one.function.name], given, torch.tensor(scale).double())


@cache
def _with_multipliers(kata: Kata, source: str) -> Answers | None:
    """The model answer of that text, whose weights are multiplied by what stands in its module."""
    source, count = _WEIGHTS.subn(_MULTIPLIED, source)
    return executed(kata, f"{source}\nMULTIPLIERS = None\n") if count == 1 else None


def _solved(
    one: Weighing, answer: Any, trial: Trial, out: Tensor
) -> tuple[Tensor, Tensor, Tensor] | None:
    """What the weights of a call are multiplied by, which of them the output shows, and they.

    Each (batch, …), of the samples that are all numbers, since a row of which all is dropped may be
    none, and have one answer alone. None where nothing gives this output. A weight of 0, of a key
    that is hidden, is multiplied by nothing that could be told. Raise ArithmeticError where
    several answers fit in every sample.
    """
    batch, axes = one.sizes.symbols["batch"], trial.case.axes(one.function)
    found: list[tuple[Tensor, Tensor, Tensor]] = []
    for number in (n for n, sample in enumerate(out) if bool(sample.isfinite().all())):
        alone = trial.given.cut(batch, number, 1, axes)

        def result(multipliers: Tensor, alone: Given = alone) -> Tensor:
            return _multiplied(answer, alone, multipliers)

        with torch.no_grad():
            weights = made(answer, alone).steps["weights"]
        ones = torch.ones(weights.shape, dtype=torch.float64)
        slope = torch.autograd.functional.jacobian(result, ones).reshape(-1, ones.numel())
        rest = (out[number : number + 1].double() - result(ones * 0)).detach().flatten()
        try:
            solved = _only_solution(slope, rest)
        except ArithmeticError:
            continue
        if solved is None:
            return None
        found.append((solved[0].view_as(ones), solved[1].view_as(ones), weights))
    if not found:
        raise ArithmeticError("no sample has one answer alone")
    multipliers, seen, weights = (torch.cat(many) for many in zip(*found, strict=True))
    return multipliers, seen, weights


def _multiplied(answer: Any, given: Given, multipliers: Tensor) -> Tensor:
    """Call the model answer with its weights multiplied."""
    module = answer.forward.__globals__
    module["MULTIPLIERS"] = multipliers
    try:
        result = Ready(answer, given)(**given.handed)
    finally:
        module["MULTIPLIERS"] = None
    return result[0] if isinstance(result, tuple) else result


def _only_solution(slope: Tensor, rest: Tensor) -> tuple[Tensor, Tensor] | None:
    """Solve slope @ multipliers = rest in the columns that count; None where nothing solves it.

    And say which of them a result in float32 gives. Raise ArithmeticError where it gives none.
    """
    size = slope.norm(dim=0)
    some = size > _NONE * size.max()
    inverse = torch.zeros_like(slope.mT)
    inverse[some] = torch.linalg.pinv(slope[:, some] / size[some]) / size[some][:, None]
    # What a row makes of errors in the result that have nothing to do with each other.
    seen = some & (inverse.norm(dim=1) * _ROUNDED * rest.abs().max() < _APART / 2)
    if not bool(seen.any()):
        raise ArithmeticError("rounding hides what the weights are multiplied by")
    solved = inverse @ rest
    if float((slope @ solved - rest).abs().max()) > _CLOSE * float(rest.abs().max()):
        return None
    return solved, seen
