"""What an object or a module keeps from one call is no later one's: inputs and weights change."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attn_kata.checker.report.report import Report

Judge = Callable[..., Report]

_MASKED = """
import math
import torch
from torch import nn

KNOWN = {}


def shown(mask):
    if id(mask) not in KNOWN:
        # With the mask itself, so that no other has its id.
        KNOWN[id(mask)] = mask, mask.clone()
    return KNOWN[id(mask)][1]


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.scale = math.sqrt(hidden_dim)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        scores = self.query(x) @ self.key(x).mT / self.scale
        if attention_mask is not None:
            scores = scores.masked_fill(shown(attention_mask) == 0, float("-inf"))
        return self.output(self.dropout(scores.softmax(-1)) @ self.value(x))
"""
_FUSED = """
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.width = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.both = None

    def forward(self, x):
        both = self.query.weight.mT @ self.key.weight
        if not torch.is_grad_enabled():
            if self.both is None or self.both.dtype != x.dtype:
                self.both = both
            both = self.both
        scores = x @ both @ x.mT / self.width**0.5
        return scores.softmax(-1) @ self.value(x)
"""


def _failed(report: Report) -> set[str]:
    return {one.id for one in report.checks if one.status == "fail"}


@pytest.mark.parametrize("kept", [True, False])
def test_a_mask_that_changes_in_place_is_read_again(judged: Judge, kept: bool) -> None:
    """Whoever keeps what was made of it gets what is there no more."""
    report = judged(
        "v3", _MASKED if kept else _MASKED.replace("if id(mask) not in KNOWN", "if True")
    )
    assert _failed(report) == ({"purity"} if kept else set())


@pytest.mark.parametrize("kept", [True, False])
def test_weights_that_change_are_used(judged: Judge, kept: bool) -> None:
    """What is made of the weights once is stale after an optimizer's step."""
    source = _FUSED if kept else _FUSED.replace("if self.both is None", "if True")
    report = judged("v1", source)
    assert _failed(report) == ({"purity"} if kept else set())
    told = [str(one.message) for one in report.diagnosis]
    assert [one.partition(",")[0] for one in told] == ["after its weights changed"] * kept
