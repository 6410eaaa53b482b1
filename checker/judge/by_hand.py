"""Dropout that is made by hand: read from what train mode gives, whoever drew it.

The output is linear in the weights, with no more keys than features invertibly so; solved for what
each weight is multiplied by, dropout gives 0 or one constant.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ..process.wire import dtype_name
from .draw import Case, Given
from .dropout_finding import DropoutFinding, Reading, together
from .trials import Trial
from .truth import FAULTS, Answers, Ready, executed, made
from .weighing import Weighing

__all__ = ["read_by_hand"]

_SAMPLES = 12
# How near to 0 or to the constant a multiplier is, and how near a solution.
_APART, _CLOSE = 3e-3, 1e-5
# A line after the one that makes the weights, which multiplies them by what is asked.
_WEIGHTS = re.compile(r"^( +)(weights = .*)$", re.MULTILINE)
_MULTIPLIED = r"\1\2\n\1weights = weights if MULTIPLIERS is None else weights * MULTIPLIERS"


def read_by_hand(one: Weighing, first: Trial) -> DropoutFinding:
    """Say where a call in train mode drops something, with torch's own dropouts silenced.

    On the weights, nowhere ("noise": what is drawn is no dropout of them), or unknown where that
    cannot be told.
    """
    unknown = DropoutFinding(
        place="unknown", asked=one.construction and one.construction.asked_rate
    )
    case = _narrow(one, first.case)
    answer = _with_multipliers(one.kata)
    if case is None or answer is None:
        return unknown
    plain = one.trial(case)
    trial = one.in_training(plain)
    run = {"dtype": dtype_name(trial.dtype), "calls": [trial.call], "warm": trial.call}
    # Made as for eval, where the rate is the one asked for.
    (done,) = one.answered([{**run, **one.way_in(plain)}])
    out = trial.results(done)
    if not out or out[0].shape != trial.expected[0].shape:
        return unknown
    multipliers = _solved(one.kata, answer[one.function.name], trial.given, out[0])
    reading = None if multipliers is None else _read(multipliers)
    if reading is not None:
        return replace(unknown, place="weights", reading=reading)
    # Zeros in the output were dropped there, which is fine beside the weights' own dropout.
    beside = bool(one.module.dropout) or bool((out[0] == 0).any())
    return unknown if beside else replace(unknown, place="noise")


def _read(multipliers: Tensor) -> Reading | None:
    """Read what weights are multiplied by; None where it is more than 0 and one constant."""
    kept = multipliers.abs() > _APART
    factor = float(multipliers[kept].median()) if bool(kept.any()) else 0.0
    exact = torch.where(kept, multipliers - factor, multipliers).abs()
    if bool((exact > _APART * max(1.0, abs(factor))).any()):
        return None
    dropped = float((~kept).double().mean())
    return Reading(
        on_weights=True, factor=factor, dropped=dropped, count=kept.numel(),
        together=together(kept, torch.ones_like(kept)),
    )  # fmt: skip


def _narrow(one: Weighing, case: Case) -> Case | None:
    """The case with many samples, and no more positions than a head has features."""
    axes = {name: symbol for symbol, name in one.sizes.axes.items()}
    if not {"batch", "length"} <= axes.keys():
        return None
    width = case.sizes[axes.get("head_dim", axes.get("hidden_dim", "batch"))]
    picks = {symbol: case.sizes[symbol] for symbol in one.sizes.values}
    sizes = one.sizes.row({**picks, axes["batch"]: _SAMPLES, axes["length"]: min(width, 4)})
    return replace(case, sizes=sizes, mask=None, strided=False, grad=False)


@cache
def _with_multipliers(kata: Kata) -> Answers | None:
    """The model answer, whose weights are multiplied by what stands in its module."""
    source, count = _WEIGHTS.subn(_MULTIPLIED, kata.solution())
    return executed(kata, f"{source}\nMULTIPLIERS = None\n") if count == 1 else None


def _solved(kata: Kata, answer: Any, given: Given, out: Tensor) -> Tensor | None:
    """What the weights of a call are multiplied by, (batch, …); None where nothing gives this."""
    module = answer.forward.__globals__
    found: list[Tensor] = []
    for number in range(len(out)):
        tensors = {name: t[number : number + 1] for name, t in given.tensors.items()}
        alone = replace(given, tensors=tensors)

        def result(multipliers: Tensor, alone: Given = alone) -> Tensor:
            module["MULTIPLIERS"] = multipliers
            given_back = Ready(answer, alone)(**alone.arguments)
            return given_back[0] if isinstance(given_back, tuple) else given_back

        try:
            with torch.no_grad():
                shape = made(kata, answer, alone).steps["weights"].shape
            ones = torch.ones(shape, dtype=torch.float64)
            slope = torch.autograd.functional.jacobian(result, ones).reshape(-1, ones.numel())
            rest = (out[number : number + 1].double() - result(ones * 0)).detach().flatten()
            solved = torch.linalg.lstsq(slope, rest[:, None], driver="gelsd").solution[:, 0]
        except FAULTS:
            return None
        finally:
            module["MULTIPLIERS"] = None
        if float((slope @ solved - rest).abs().max()) > _CLOSE * float(rest.abs().max()):
            return None
        found.append(solved.reshape(shape))
    return torch.cat(found)
