"""What train mode does to the weights: one call with dropout on, read from its output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ...vocabulary import words
from .cases import ASKED_RATE, Case, dropout_size
from .dropout import Reading, read_multipliers
from .examine import Examination
from .questions import Drawn

__all__ = ["DropoutFinding", "DropoutTrial", "asks_rate", "says_output"]


@dataclass(slots=True, kw_only=True)
class DropoutFinding:
    """What dropout does.

    place: weights, none, scores, output, residual, other or unread; beside, where it may act
    too, unknown, which is no step of the model answer's, or noise, which drops nothing.
    reading: what the output says of the weights. calls: the torch dropout calls. p: the rate of
    the one that is meant, where it was not read. asked: the rate that the constructor was given,
    None where it takes none.
    """

    place: str
    reading: Reading | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)
    p: float | None = None
    asked: float | None = None
    line: int | None = None

    @property
    def by_hand_at_a_fixed_rate(self) -> bool:
        """Whether train mode cannot be made deterministic from outside."""
        return self.place != "none" and not self.calls and self.asked is None

    @property
    def rate(self) -> float:
        """The rate that the kept weights' factor speaks of, or that torch was given."""
        if self.p is not None:
            return self.p
        factor = self.reading.factor if self.reading else 1.0
        return 1 - 1 / factor if factor > 0 else 1.0


class DropoutTrial:
    """A call in train mode; the candidate makes it while the judge does something else."""

    def __init__(self, examination: Examination, drawn: Drawn) -> None:
        self.examination = examination
        self.drawn = drawn
        case = Case(check="dropout", batch=12, queries=12, keys=12, train=True)
        self.trial = examination.questions.ask(drawn, case)
        self.answer: dict[str, Any] | None = None
        self._call({"given": True})

    @classmethod
    def begin(cls, examination: Examination) -> DropoutTrial | None:
        """Have the call made; None where it cannot be tried."""
        fitted = examination.fitted
        size = dropout_size(fitted.kata.contract, fitted.fixed_heads)
        drawn = examination.questions.draw(size, 1.2)
        if drawn is None or fitted.work is not torch.float64:
            return None
        return cls(examination, drawn)

    def _call(self, record: dict[str, Any]) -> None:
        fitted = self.examination.fitted
        one = dict(self.trial.call, record=record)

        def take(results: list[dict[str, Any]]) -> None:
            self.answer = (results[0].get("answers") or [results[0]])[0]

        self.answer = None
        entry = fitted.entry(self.drawn.size, self.drawn.weights, [one], fitted.work)
        fitted.begin([entry], take)

    def _answered(self) -> dict[str, Any]:
        if self.answer is None:
            self.examination.fitted.candidate.settle()
        assert self.answer is not None
        return self.answer

    def read(self) -> DropoutFinding:
        """Say what the output tells; further calls where one does not tell enough."""
        answer, expected = self._answered(), self.trial.expected
        out = answer.get("out")
        asked = ASKED_RATE if asks_rate(self.examination) else None
        calls = answer.get("dropouts", [])
        if not isinstance(out, Tensor) or out.shape != expected.shape:
            return DropoutFinding(place="unread", calls=calls, asked=asked)
        active = [i for i, entry in enumerate(calls) if entry["training"] and entry["p"] > 0]
        if _close(out, expected):
            return DropoutFinding(place="none", calls=calls, asked=asked)
        inner = _Inner(self.examination, self.drawn, self.trial.call["inputs"])
        readings = [(inner.read(out), calls[active[0]]["line"] if len(active) == 1 else None)]
        if not readings[0][0].on_weights and active:
            readings = list(self._alone(inner, _by_line(calls, active)))
        good = [(reading, line) for reading, line in readings if reading.on_weights]
        if good:
            reading, line = good[0]
            return DropoutFinding(
                place="weights", reading=reading, calls=calls, asked=asked, line=line
            )
        if (line := _before_softmax(answer.get("steps", []), calls, active)) is not None:
            return DropoutFinding(place="scores", calls=calls, asked=asked, line=line)
        place, line = inner.place(calls, active, out, expected)
        return DropoutFinding(place=place, calls=calls, asked=asked, line=line)

    def _alone(
        self, inner: _Inner, groups: list[tuple[int | None, list[int]]]
    ) -> Iterator[tuple[Reading, int | None]]:
        """Read each place's dropouts with the others silenced."""
        for line, group in groups:
            self._call({"only_dropout": group, "steps": False})
            alone = self._answered().get("out")
            if not isinstance(alone, Tensor) or alone.shape != self.trial.expected.shape:
                continue
            if not _close(alone, self.trial.expected):
                yield inner.read(alone), line


def _before_softmax(
    steps: list[dict[str, Any]], calls: list[dict[str, Any]], active: list[int]
) -> int | None:
    """The line of a dropout whose next step but masks is softmax, on scores of that shape."""
    order = [s for s in steps if s["call"] in {"dropout", "softmax", "exp"}]
    drops = [i for i, s in enumerate(order) if s["call"] == "dropout"]
    for number, place in enumerate(drops):
        after = order[place + 1 : place + 2]
        followed = number in active and after and after[0]["call"] != "dropout"
        if followed and calls[number]["shape"] == after[0]["shape"]:
            return calls[number]["line"]
    return None


def _by_line(calls: list[dict[str, Any]], active: list[int]) -> list[tuple[int | None, list[int]]]:
    """Group dropout calls by line (a loop over heads is one place), and none of them."""
    groups: dict[int | None, list[int]] = {}
    for index in active:
        groups.setdefault(calls[index]["line"], []).append(index)
    return [*groups.items(), (None, [])]


def asks_rate(examination: Examination) -> bool:
    """Whether the constructor takes a dropout rate."""
    binding = examination.fitted.binding
    named = (*binding.constructor, *binding.global_roles)
    return any(role == "dropout" for _, role in named)


class _Inner:
    """The reference's inner tensors for one call, to tell where a dropout sits."""

    def __init__(self, examination: Examination, drawn: Drawn, inputs: dict[str, Tensor]) -> None:
        self.roles, self.size = drawn.roles, drawn.size
        self.flat = drawn.roles.flatten(drawn.weights)
        roles, flat, size = self.roles, self.flat, self.size
        query = inputs.get("query", inputs.get("x"))
        key = inputs.get("key", inputs.get("context", inputs.get("x")))
        value = inputs.get("value", inputs.get("context", inputs.get("x")))
        assert query is not None
        assert key is not None
        assert value is not None
        queries = self._heads(query @ flat[roles.q].T + flat[roles.bq])
        keys = self._heads(key @ flat[roles.k].T)
        self.values = self._heads(value @ flat[roles.v].T + flat[roles.bv])
        self.scores = queries @ keys.transpose(-2, -1) / size.head_dim**0.5
        if examination.kata.contract.causal:
            hidden = torch.ones(self.scores.shape[-2:], dtype=torch.bool).triu(1)
            self.scores = self.scores.masked_fill(hidden, float("-inf"))
        self.weights = self.scores.softmax(-1)

    def _heads(self, rows: Tensor) -> Tensor:
        batch, length, _ = rows.shape
        return rows.reshape(batch, length, self.size.heads, -1).transpose(1, 2)

    def read(self, out: Tensor) -> Reading:
        """Read the multipliers of the weights from an output."""
        return read_multipliers(out, self.weights, self.values, self.roles, self.flat, self.size)

    def place(
        self, calls: list[dict[str, Any]], active: list[int], out: Tensor, expected: Tensor
    ) -> tuple[str, int | None]:
        """Say where a dropout sits that is not on the weights, and on which line."""
        for index in active:
            given = calls[index].get("input")
            if not isinstance(given, Tensor):
                continue
            line = calls[index]["line"]
            if _same_values(given, self.scores):
                return "scores", line
            if _same_values(given, expected):
                return "residual" if says_output(calls[index]["module"]) else "output", line
            if _same_values(given, self.weights):
                return "weights-lost", line
        ratio = out / expected.where(expected != 0, torch.ones_like(expected))
        kept = ratio.abs() > 1e-6
        if bool(kept.any()):
            factor = ratio[kept].median()
            if bool(((ratio - factor).abs()[kept] < 1e-4 * factor.abs()).all()):
                return "output", calls[active[0]]["line"] if active else None
        line = calls[active[0]]["line"] if active else None
        return "other", line


def says_output(module: str | None) -> bool:
    """Whether a dropout's name says that it belongs on the output, beside attention's own."""
    return bool(set(words(module or "")) & {"resid", "residual", "proj", "out", "output", "o"})


def _same_values(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors hold the same finite values in any layout."""
    a = left.double().flatten()
    b = right.double().flatten()
    a, b = a[torch.isfinite(a)], b[torch.isfinite(b)]
    a, b = a[a > -1e4], b[b > -1e4]
    if a.numel() != b.numel() or a.numel() == 0:
        return False
    return bool(torch.allclose(a.sort().values, b.sort().values, rtol=1e-5, atol=1e-7))


def _close(left: Tensor, right: Tensor) -> bool:
    scale = float(right.abs().max())
    return bool(((left.double() - right).abs() <= 1e-5 * scale).all())
