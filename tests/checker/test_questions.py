"""A file that is saved again is asked the same, and judged as if it were the first."""

from __future__ import annotations

from itertools import count

import pytest
from attn_kata.checker.client import Options

SEEDS = count(5000)

SOURCE = """\
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q, self.k = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.v, self.o = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k = self.k(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        v = self.v(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        return self.o((self.drop(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2))
"""


def verdicts(report):
    """All that a report says, but how long it took."""
    said = report.to_dict()
    return {name: said[name] for name in said if name != "elapsed_ms"}


WRONG = {
    "scale": ("q.shape[-1] ** 0.5", "x.shape[-1] ** 0.5"),
    "mask": ("attention_mask == 0", "attention_mask != 0"),
    "gradients": ("self.q(x)", "self.q(x.detach())"),
    "dropout": ("self.drop(scores.softmax(-1))", "self.drop(scores).softmax(-1)"),
    "large scores": ("scores.softmax(-1)", "(scores.exp() / scores.exp().sum(-1, True))"),
}


@pytest.mark.costly
@pytest.mark.parametrize("slip", WRONG)
def test_saves_of_one_file_are_judged_as_if_each_were_the_first(bench, tmp_path, slip):
    """Wrong, right, wrong again: under one seed, in one judge, and each as in a new one."""
    wrong = SOURCE.replace(*WRONG[slip])
    file = tmp_path / "mine.py"
    options = Options(seed=next(SEEDS))
    found = []
    for text in (wrong, SOURCE, wrong):
        file.write_text(text)
        found.append(verdicts(next(bench.judge("mha", [file], options))))
    assert [one["verdict"] for one in found] == ["fail", "pass", "fail"]
    assert found[0] == found[2]
    file.write_text(SOURCE)
    # Another judge, forked anew, which has seen no file.
    bench.judges.pop().close()
    bench.refill()
    assert verdicts(next(bench.judge("mha", [file], options))) == found[1]
