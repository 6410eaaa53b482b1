"""Objects that take long to make: made once where that makes no difference, and only there."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from attn_kata.checker.candidate import costly
from attn_kata.checker.candidate.building import Built, may_be_mask
from torch import nn

LARGE = """
import math
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, longest=3000):
        super().__init__()
        self.heads = num_heads
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.seen = []
        self.register_buffer("bias", torch.full((longest, longest), -math.inf).triu(1))

    def forward(self, x):
        q, k, v = (
            one.unflatten(2, (self.heads, -1)).transpose(1, 2) for one in self.fused(x).chunk(3, 2)
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1]) + self.bias[: x.shape[1], : x.shape[1]]
        LEFT
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""


@pytest.mark.costly
def test_a_mask_of_3000_by_3000_is_a_buffer_like_any_other(judged):
    """Made for every series of calls, it would use up what a whole check may."""
    assert judged("causal", LARGE.replace("LEFT", "pass")).verdict == "pass"


@pytest.mark.costly
def test_what_a_call_leaves_behind_in_a_costly_object_counts(judged):
    """It is judged as any object is: calls that tell on later ones make it wrong."""
    left = "self.seen.append(v.mean()); v = v + sum(self.seen[:-1])"
    report = judged("causal", LARGE.replace("LEFT", left).replace("3000", "2500"))
    assert report.verdict == "fail"


class _Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("mask", torch.ones(3, 3))
        self.act, self.seen, self.table = torch.relu, [], {}


CHANGES = {
    "nothing": lambda layer: None,
    "its mode": lambda layer: layer.train(),
    "a list": lambda layer: layer.seen.append(1),
    "a dict": lambda layer: layer.table.update(length=3),
    "a buffer": lambda layer: layer.mask[0].zero_(),
    "an attribute": lambda layer: setattr(layer, "length", 3),
    "a weight's place": lambda layer: setattr(layer.linear.weight, "data", torch.zeros(2, 2)),
    "a hook": lambda layer: layer.register_forward_hook(lambda *_: None),
    "a closure": lambda layer: setattr(layer, "act", lambda x: x + len(layer.seen)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_object_is_used_again_only_where_it_is_as_it_was(monkeypatch, change):
    """Whatever a call changed, and what cannot be looked into, has it made anew."""
    monkeypatch.setattr(costly, "_LONG", -1.0)
    kept = costly.Costly()
    first = kept.made("key", lambda: Built(_Layer()))
    with kept.watched(first):
        CHANGES[change](first.thing)
    again = kept.made("key", lambda: Built(_Layer()))
    assert (again.thing is first.thing) is (change in {"nothing", "its mode"})
    assert kept.made("another", lambda: Built(_Layer())).thing is not first.thing


def test_what_holds_a_closure_is_made_anew(monkeypatch):
    """What a function closes over may have changed unseen."""
    monkeypatch.setattr(costly, "_LONG", -1.0)
    kept, layer = costly.Costly(), _Layer()
    monkeypatch.setattr(layer, "act", lambda x: x + len(layer.seen))
    with kept.watched(kept.made("key", lambda: Built(layer))):
        pass
    assert kept.made("key", lambda: Built(_Layer())).thing is not layer


@dataclass(slots=True)
class _Slotted:
    seen: int = 0


_Slotted.__module__ = "submission"


@pytest.mark.parametrize("held", [_Slotted(), torch.inference_mode()(torch.ones)(2), object()])
def test_what_cannot_be_looked_into_is_made_anew(monkeypatch, held):
    """It says nothing of itself, or raises when it is asked; neither ends the judging."""
    monkeypatch.setattr(costly, "_LONG", -1.0)
    kept, layer = costly.Costly(), _Layer()
    monkeypatch.setattr(layer, "table", held)
    with kept.watched(kept.made("key", lambda: Built(layer))):
        pass
    assert kept.made("key", lambda: Built(_Layer())).thing is not layer


def test_gradients_of_earlier_calls_are_gone(monkeypatch):
    """As a fresh object has none."""
    monkeypatch.setattr(costly, "_LONG", -1.0)
    kept = costly.Costly()
    first = kept.made("key", lambda: Built(_Layer()))
    with kept.watched(first):
        first.thing.linear(torch.ones(1, 2)).sum().backward()
    again = kept.made("key", lambda: Built(_Layer()))
    assert again.thing is first.thing
    assert again.thing.linear.weight.grad is None


@pytest.mark.parametrize(
    ("tensor", "mask"),
    [
        (torch.full((1, 1, 5, 5), -torch.inf).triu(1), True),
        (torch.tensor([[0.0, 1.0, 2.0, 3.0]]), True),
        (torch.tensor([[0.0, 1.0, 2.0, 3.0, 4.0]]), False),
        (torch.zeros(0, 3), True),
        (torch.tensor([[torch.nan, 1.0]]), False),
        (torch.ones(4), False),
        (torch.ones(2, 2, dtype=torch.complex64), False),
    ],
)
def test_a_mask_has_few_values(tensor, mask):
    """Four at most, in two axes or more."""
    assert may_be_mask(tensor) is mask
