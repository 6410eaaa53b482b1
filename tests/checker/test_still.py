"""Weights that do not learn beside layers that do: frozen, buffers, plain tensors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attn_kata.checker.report.report import Report

Judge = Callable[..., Report]

_TEXT = """
import torch
from torch import nn

class Kept(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.matrix = torch.randn(hidden_dim, hidden_dim)

    def forward(self, x):
        return x @ self.matrix

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
        self.k, self.v = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        {made}  # here

    def forward(self, x):
        scores = {query} @ self.k(x).mT / self.d ** {power}
        return scores.softmax(-1) @ self.v(x)
"""
_LAYER = "self.q = nn.Linear(hidden_dim, hidden_dim)"
_FROZEN = f"{_LAYER}.requires_grad_(False)"
_SINGLE = "self.q = nn.Parameter(torch.randn(hidden_dim, hidden_dim), requires_grad=False)"
_BUFFER = "self.register_buffer('q', torch.randn(hidden_dim, hidden_dim))"
_BARE = "self.q = torch.randn(hidden_dim, hidden_dim)"
# Something that does not learn and need not.
_TABLE = f"{_LAYER}; self.register_buffer('table', torch.rand(4, 7))"
_STEADY = f"{_LAYER}; self.steady = nn.Parameter(torch.rand(3), requires_grad=False)"


def told(report: Report) -> list[tuple[str, int | None, list[str]]]:
    """What is named, where, and which weights are spoken of."""
    found = []
    for one in report.diagnosis:
        words = str(one.message).split("`")
        found.append((one.mistake, one.line, sorted(words[1::2])))
    return found


@pytest.mark.parametrize(
    ("made", "query", "mistake", "names"),
    [
        (_FROZEN, "self.q(x)", "weights-frozen", ["q.bias", "q.weight"]),
        (_SINGLE, "(x @ self.q)", "weights-frozen", ["q"]),
        (_BUFFER, "(x @ self.q)", "parameters-not-registered", ["parameters()", "q"]),
        (_BARE, "(x @ self.q)", "parameters-not-registered", ["parameters()", "q"]),
        (f"{_BUFFER}; self.register_buffer('table', torch.rand(4, 7))", "(x @ self.q)",
         "parameters-not-registered", ["parameters()", "q"]),
    ],
)  # fmt: skip
def test_it_is_named_and_all_else_is_judged(
    judged: Judge, made: str, query: str, mistake: str, names: list[str]
) -> None:
    """What is computed is right, and that is what the report says: one mistake, on its line."""
    text = _TEXT.format(made=made, query=query, power=0.5)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "# here" in row)
    report = judged("v1", text)
    assert told(report)[:1] == [(mistake, line, names)]
    failing = {check.id for check in report.checks if check.status == "fail"}
    assert failing - {"device"} == {"parameters"}


def test_a_tensor_in_a_layer_of_ones_own(judged: Judge) -> None:
    """Its line is where the tensor is made, not where the layer is."""
    text = _TEXT.format(made="self.q = Kept(hidden_dim)", query="self.q(x)", power=0.5)
    (first, *_) = told(judged("v1", text))
    assert first == ("parameters-not-registered", 8, ["parameters()", "q.matrix"])


def test_a_frozen_weight_beside_another_mistake(judged: Judge) -> None:
    """Both are named."""
    report = judged("v1", _TEXT.format(made=_FROZEN, query="self.q(x)", power=1))
    assert {mistake for mistake, *_ in told(report)} >= {"weights-frozen", "scale-without-sqrt"}


@pytest.mark.parametrize("made", [_TABLE, _STEADY])
@pytest.mark.parametrize("power", [0.5, 1])
def test_what_need_not_learn_is_no_weight(judged: Judge, made: str, power: float) -> None:
    """A table or a constant that nothing comes of is not spoken of, right or wrong."""
    report = judged("v1", _TEXT.format(made=made, query="self.q(x)", power=power))
    assert report.verdict == ("pass" if power < 1 else "fail")
    assert not {"weights-frozen", "parameters-not-registered"} & {one for one, *_ in told(report)}
