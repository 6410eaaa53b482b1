"""What else is wrong beneath mistakes that were named: beside the mistaken reference.

Dropout, stability and gradients are judged against the right answer, which code with
another mistake never reaches. The edited reference that reproduces its numbers is the
answer here: what still departs from that is a mistake of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from ...judge.classes.cases import ASKED_RATE, LARGE_GAIN, Case, draw_weights
from ...judge.classes.dropout_trial import asks_rate
from ...judge.classes.examine import Examination
from ...judge.classes.occasion import Occasion, arrange, hold
from ...judge.classes.plan import Size
from ...judge.classes.truth import Roles, Truth
from .. import milestones
from ..milestones import Step

__all__ = ["Beneath", "Explained", "beneath"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What reproduces a submission's outputs: an edited reference, roles and a size."""

    kind: type[nn.Module]
    roles: Roles
    size: Size


@dataclass(frozen=True, slots=True, kw_only=True)
class Beneath:
    """A further mistake, its line, and what its sentence needs."""

    mistake: str
    line: int | None
    values: dict[str, Any]
    layer: str | None = None


def beneath(examination: Examination, explained: Explained) -> Iterator[Beneath]:
    """Yield the mistakes that are left beside those that the edited reference shows."""
    for look in (_dropout, _unstable):
        # A mistaken reference may refuse lengths that the one before it took.
        with suppress(RuntimeError):
            yield from look(examination, explained)


def _dropout(examination: Examination, explained: Explained) -> Iterator[Beneath]:
    size = replace(explained.size, dropout=ASKED_RATE)
    extra = 2 if examination.cross else 0
    case = Case(check="dropout", batch=2, queries=5, keys=5 + extra, train=True)
    one = arrange(examination, case, size)
    weights = draw_weights(
        examination.fitted.shapes(size), size.hidden, 1.2, examination.fitted.draw
    )
    loud = dict(one.call, record={"values": True})
    silent = dict(one.call, record={"values": True, "only_dropout": []})
    still = dict(one.call, train=False, record={"only_dropout": []})
    answers = hold(examination, size, [loud, silent, still], weights)["answers"]
    outs = [answer.get("out") for answer in answers]
    if not all(isinstance(out, Tensor) for out in outs) or not _same(outs[1], outs[2]):
        # By hand, or train mode is another thing altogether: nothing can be said here.
        return
    steps = _named_steps(examination, explained, one, weights)
    active = [d for d in answers[1]["dropouts"] if d["training"] and d["p"] > 0]
    if not active:
        if examination.kata.contract.dropout == "required":
            yield Beneath(mistake="dropout-missing", line=_softmax_line(answers[1]), values={})
        return
    seen: set[int | None] = set()
    for drop in active:
        if drop["line"] not in seen:
            seen.add(drop["line"])
            yield from _placed(drop, steps, asked=asks_rate(examination))


def _placed(drop: dict[str, Any], steps: dict[str, Tensor], *, asked: bool) -> Iterator[Beneath]:
    """What one dropout does wrong: where it sits, or its rate."""
    given = drop.get("input")
    if not isinstance(given, Tensor):
        return
    held: Step = {"values": [given]}

    def at(*names: str) -> bool:
        return any(n in steps and milestones.find(steps[n], [held]) is not None for n in names)

    if at("weights"):
        if asked and abs(drop["p"] - ASKED_RATE) > 1e-6:
            yield Beneath(
                mistake="dropout-rate-wrong",
                line=drop["line"],
                values={"actual": drop["p"], "asked": ASKED_RATE},
                layer=drop["module"],
            )
    elif at("scores", "masked_scores", "products"):
        yield Beneath(mistake="dropout-before-softmax", line=drop["line"], values={})
    elif at("output", "context", "merged", "by_position"):
        yield Beneath(
            mistake="dropout-on-output", line=drop["line"], values={}, layer=drop["module"]
        )


def _unstable(examination: Examination, explained: Explained) -> Iterator[Beneath]:
    extra = 2 if examination.cross else 0
    case = Case(check="stability", batch=2, queries=5, keys=5 + extra, gain=30)
    size = explained.size
    one = arrange(examination, case, size)
    weights = draw_weights(
        examination.fitted.shapes(size), size.hidden, LARGE_GAIN, examination.fitted.draw
    )
    record = {"values": False, "only_dropout": []}
    answer = hold(examination, size, [dict(one.call, record=record)], weights)["answers"][0]
    out = answer.get("out")
    if not isinstance(out, Tensor) or bool(torch.isfinite(out).all()):
        return
    if bool(torch.isfinite(_named_steps(examination, explained, one, weights)["output"]).all()):
        line = next((s["line"] for s in answer["steps"] if s["call"] in {"exp", "exp_"}), None)
        yield Beneath(mistake="softmax-unstable", line=line, values={})


def _named_steps(
    examination: Examination, explained: Explained, one: Occasion, weights: dict[str, Tensor]
) -> dict[str, Tensor]:
    truth = Truth(examination.kata, explained.size)
    truth.load(explained.roles, explained.roles.flatten(weights))
    truth.module.__class__ = explained.kind
    return milestones.milestones(truth, one.inputs, one.mask)


def _softmax_line(answer: dict[str, Any]) -> int | None:
    return next((s["line"] for s in answer["steps"] if s["call"] in {"softmax", "exp"}), None)


def _same(left: Any, right: Any) -> bool:
    return left.shape == right.shape and bool(torch.isclose(left, right, equal_nan=True).all())
