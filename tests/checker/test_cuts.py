"""Gradients that are cut off: proved by following them, and told at the line that cuts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attn_kata.checker.report.report import Report

Judge = Callable[..., Report]

BY_HAND = """\
import math
import torch
from torch import nn

@torch.no_grad()
def total(t):
    return t.sum(dim=-1, keepdim=True)  # helper

def cut(t):
    return t.detach()  # in a function

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, w = x.shape
        split = (b, t, self.h, self.d)
        q, k, v = (f(x).view(split).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        top = scores.detach().amax(dim=-1, keepdim=True)
        numerators = (scores - top).exp()
        denominators = numerators.sum(dim=-1, keepdim=True)
        weights = numerators / denominators
        out = self.drop(weights) @ v
        return self.o(out.transpose(1, 2).reshape(b, t, w))
"""

# What is written otherwise, what stands on the line that cuts, and whether all is lost there.
CUT = {
    "in a helper under no_grad": (
        ("numerators.sum(dim=-1, keepdim=True)", "total(numerators)"), "@torch.no_grad()", False,
    ),
    "by a function": (("/ denominators", "/ cut(denominators)"), "# in a function", False),
    "in a block": (
        ("        denominators = ", "        with torch.no_grad():\n          denominators = "),
        "with torch.no_grad():", False,
    ),
    "by a call that gives several": (
        ("        denominators = numerators.sum(dim=-1, keepdim=True)",
         ("        with torch.no_grad():\n          ranked, _ = numerators.sort(dim=-1)\n"
         "        denominators = ranked.sum(dim=-1, keepdim=True)")),
        "with torch.no_grad():", False,
    ),
    "by data": (("(scores - top).exp()", "(scores.data - top).exp()"), "scores.data", True),
    "of one of two factors": (
        ("self.drop(weights) @ v", "(self.drop(weights) + 0 * v.sum() - 0) @ v.detach()"),
        "v.detach()", False,
    ),
}  # fmt: skip


@pytest.mark.costly
@pytest.mark.parametrize("case", CUT.values(), ids=CUT)
def test_the_line_that_cuts(judged: Judge, case: tuple[tuple[str, str], str, bool]) -> None:
    """What cuts a gradient off is named on its line, and whether a part of it or all is lost."""
    change, marked, whole = case
    assert BY_HAND.count(change[0]) == 1
    source = BY_HAND.replace(*change)
    report = judged("mha", source)
    assert {one.id for one in report.checks if one.status == "fail"} == {"gradients"}
    line = next(n for n, row in enumerate(source.splitlines(), start=1) if marked in row)
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("detached", line)]
    assert str(report.diagnosis[0].message).startswith("no gradient" if whole else "part of")


def test_a_maximum_may_be_detached(judged: Judge) -> None:
    """The maximum that is taken off changes no gradient, and passes detached."""
    assert judged("mha", BY_HAND).verdict == "pass"
