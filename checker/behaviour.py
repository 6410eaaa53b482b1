"""Traced calls: which operators run, on which line, and what dropout does in train mode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from .attempts import plain_call
from .axes import telling_case, telling_sizes
from .cases import ASKED_RATE, Case, draw_weights, dropout_size
from .dropout import Reading, read_multipliers
from .examine import Examination
from .occasion import arrange
from .plan import Size
from .truth import Roles
from .vocabulary import words
from .wire import dtype_name

__all__ = [
    "DropoutFinding",
    "Trace",
    "asks_rate",
    "device_calls",
    "forbidden",
    "narrowing",
    "pretend",
    "says_output",
    "trace",
    "try_dropout",
]

_FUSED_CALLS = {
    "scaled_dot_product_attention": "F.scaled_dot_product_attention",
    "multi_head_attention_forward": "nn.MultiheadAttention",
    "_native_multi_head_attention": "nn.MultiheadAttention",
    "_transformer_encoder_layer_fwd": "nn.TransformerEncoderLayer",
    "flex_attention": "flex_attention",
}


@dataclass(slots=True, kw_only=True)
class Trace:
    """One small call as it was seen: its steps and dropouts.

    mask: as the reference takes it. out: what the call returned, None where it raised.
    """

    size: Size
    case: Case
    steps: list[dict[str, Any]] = field(default_factory=list)
    dropouts: list[dict[str, Any]] = field(default_factory=list)
    inputs: dict[str, Tensor] = field(default_factory=dict)
    mask: Tensor | None = None
    weights: dict[str, Tensor] = field(default_factory=dict)
    out: Tensor | None = None

    def take(self, results: list[dict[str, Any]]) -> None:
        """Take in what the candidate says of the call."""
        answer = (results[0].get("answers") or [{}])[0]
        out = answer.get("out")
        self.steps = answer.get("steps", [])
        self.dropouts = answer.get("dropouts", [])
        self.out = out if isinstance(out, Tensor) else None


def trace(examination: Examination) -> Trace:
    """Watch one small masked call in eval mode; it is seen once the candidate has settled."""
    fitted = examination.fitted
    telling = telling_sizes(examination.sizes)
    size = next((size for size in telling if fitted.shapes(size)), telling[0])
    weights = draw_weights(fitted.shapes(size), size.hidden, 1.5, fitted.draw)
    masked = examination.takes_mask and bool(examination.forms)
    case = telling_case(size, "random" if masked else None, cross=examination.cross)
    first = (examination.forms[0], examination.mask_dtypes[0]) if masked else None
    one = arrange(examination, case, size, mask_as=first)
    call = dict(one.call, record={"values": True})
    seen = Trace(size=size, case=case, inputs=one.inputs, mask=one.mask, weights=weights)
    fitted.begin([fitted.entry(size, weights, [call], fitted.work)], seen.take)
    return seen


def device_calls(examination: Examination) -> list[dict[str, Any]]:
    """Two plain calls in float32, without and with a mask, at the first size."""
    extra = 2 if examination.cross else 0
    cases = [Case(check="device", batch=2, queries=5, keys=5 + extra)]
    if examination.takes_mask and examination.forms:
        cases.append(Case(check="device", batch=2, queries=4, keys=4 + extra, mask="random"))
    size = examination.sizes[0]
    return [arrange(examination, case, size, torch.float32).call for case in cases]


def pretend(examination: Examination) -> list[dict[str, Any]]:
    """Call the class on a pretended GPU, without and with a mask.

    Returns a list that holds what went wrong once the candidate has settled.
    """
    fitted, size = examination.fitted, examination.sizes[0]
    recipe = fitted.binding.recipe(size)
    warm = plain_call(fitted.kata, fitted.binding, size)
    calls = device_calls(examination)
    request = {"do": "pretend", "recipe": recipe, "warm": warm, "calls": calls}
    faults: list[dict[str, Any]] = []
    fitted.candidate.post(request, lambda answer: faults.extend(filter(None, answer["answers"])))
    return faults


def narrowing(examination: Examination, dtype: torch.dtype) -> int | None:
    """The line that first makes floats of another dtype than the inputs', None where none does."""
    fitted = examination.fitted
    size = examination.sizes[0]
    keys = 7 if examination.cross else 5
    masked = examination.takes_mask and bool(examination.forms)
    case = Case(check="", batch=2, queries=5, keys=keys, mask="random" if masked else None)
    call = dict(arrange(examination, case, size, dtype).call, record={})
    weights = draw_weights(fitted.shapes(size), size.hidden, 1.0, fitted.draw)
    result = fitted.run([fitted.entry(size, weights, [call], dtype)])[0]
    floats = {"float64", "float32", "bfloat16", "float16"} - {dtype_name(dtype)}
    for step in (result.get("answers") or [{}])[0].get("steps", []):
        if step["dtype"] in floats and step["lines"]:
            return step["line"]
    return None


def forbidden(seen: Trace) -> tuple[str, int | None] | None:
    """Name a forbidden call and its line, or None."""
    for step in seen.steps:
        # Only torch's own functions reach the recorder, so a name is enough.
        if step["call"] in _FUSED_CALLS:
            return _FUSED_CALLS[step["call"]], step["line"]
    return None


@dataclass(slots=True, kw_only=True)
class DropoutFinding:
    """What dropout does. place: weights, none, scores, output, other or unread.

    reading: what the output says of the weights. calls: the torch dropout calls.
    asked: the rate that the constructor was given, None where it takes none.
    """

    place: str
    reading: Reading | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)
    asked: float | None = None
    line: int | None = None

    @property
    def by_hand_at_a_fixed_rate(self) -> bool:
        """Whether train mode cannot be made deterministic from outside."""
        return self.place != "none" and not self.calls and self.asked is None

    @property
    def rate(self) -> float:
        """The rate that the kept weights' factor speaks of."""
        factor = self.reading.factor if self.reading else 1.0
        return 1 - 1 / factor if factor > 0 else 1.0


def try_dropout(examination: Examination) -> DropoutFinding | None:
    """Read what train mode does to the weights; None where it cannot be tried."""
    fitted = examination.fitted
    size = dropout_size(fitted.kata.contract, fitted.fixed_heads)
    shapes = fitted.shapes(size)
    roles = fitted.roles(size) if shapes else None
    if roles is None:
        return None
    weights = draw_weights(shapes, size.hidden, 1.2, fitted.draw)
    if fitted.work is not torch.float64:
        return None
    truth = fitted.truth(size, weights)
    if truth is None:
        return None
    case = Case(check="dropout", batch=12, queries=12, keys=12, train=True)
    trial = examination.trial(case, size, truth, torch.float64)
    call = dict(trial.call, record={})

    def once(record: dict[str, Any]) -> dict[str, Any]:
        one = dict(call, record=record)
        result = fitted.run([fitted.entry(size, weights, [one], fitted.work)])[0]
        return (result.get("answers") or [result])[0]

    answer = once({"values": True})
    out = answer.get("out")
    asked = ASKED_RATE if asks_rate(examination) else None
    calls = answer.get("dropouts", [])
    if not isinstance(out, Tensor) or out.shape != trial.expected.shape:
        return DropoutFinding(place="unread", calls=calls, asked=asked)
    active = [i for i, entry in enumerate(calls) if entry["training"] and entry["p"] > 0]
    if _close(out, trial.expected):
        return DropoutFinding(place="none", calls=calls, asked=asked)
    inner = _Inner(examination, roles, roles.flatten(weights), trial.call["inputs"], size)
    readings = [(inner.read(out), calls[active[0]]["line"] if len(active) == 1 else None)]
    if not readings[0][0].on_weights and active:
        readings = []
        for line, group in _by_line(calls, active):
            alone = once({"only_dropout": group}).get("out")
            if not isinstance(alone, Tensor) or alone.shape != out.shape:
                continue
            if not _close(alone, trial.expected):
                readings.append((inner.read(alone), line))
    good = [(reading, line) for reading, line in readings if reading.on_weights]
    if good:
        reading, line = good[0]
        return DropoutFinding(place="weights", reading=reading, calls=calls, asked=asked, line=line)
    if (line := _before_softmax(answer.get("steps", []), calls, active)) is not None:
        return DropoutFinding(place="scores", calls=calls, asked=asked, line=line)
    place, line = inner.place(calls, active, out, trial.expected)
    return DropoutFinding(place=place, calls=calls, asked=asked, line=line)


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

    def __init__(
        self,
        examination: Examination,
        roles: Roles,
        flat: Tensor,
        inputs: dict[str, Tensor],
        size: Size,
    ) -> None:
        self.roles, self.flat, self.size = roles, flat, size
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
