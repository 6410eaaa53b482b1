"""An optional mask is left out; code that cannot do without one is judged with one, and told."""

import pytest

SOURCE = """\
import torch
from torch import nn

class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q, self.k = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.v, self.o = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, blocked):
        scores = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        return self.o(self.drop(scores.softmax(-1)) @ self.v(x))
"""


@pytest.mark.parametrize("convention", ["drop", "additive"])
def test_stand_in_hides_nothing(judged, convention):
    """What stands for no mask hides nothing under the convention that is asked for."""
    source = SOURCE
    if convention == "additive":
        source = SOURCE.replace("scores.masked_fill(blocked, torch.finfo(scores.dtype).min)",
                                "scores + blocked")  # fmt: skip
    report = judged("v4", source, mask=convention)
    assert report.verdict == "pass", report.diagnosis
    assert "mask-without-default" in {remark.id for remark in report.remarks}


@pytest.mark.costly
def test_needed_beside_another_mistake(judged):
    """A mask that cannot be left out is told of beside the mistake that the numbers show."""
    source = SOURCE.replace("x, blocked", "x, blocked=None").replace("/ x.shape[-1] ** 0.5", "")
    report = judged("v4", source, mask="drop")
    assert sorted((one.mistake, one.line) for one in report.diagnosis) == [
        ("mask-needed", 13), ("scale-missing", 12),
    ]  # fmt: skip
