"""Functions that move axes, raise on a view, or are scripted: what is named, and where."""

from __future__ import annotations

import pytest
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import worded


@pytest.fixture
def judge(bench, tmp_path):
    """Judge a source under a kata."""

    def judged(source: str, kata: str):
        path = tmp_path / "mine.py"
        path.write_text(source)
        return worded(next(bench.judge(kata, [path], Options(seed=3))), "en")

    return judged


def test_axes_that_only_move(judge):
    """Where entries only change places, the line is that of the call that puts them wrongly."""
    source = find("drill-heads").solution()
    source = source.replace("unfolded.transpose(1, 2)", "unfolded.permute(2, 0, 1, 3)")
    report = judge(source, "drill-heads")
    lines = [place for place, row in enumerate(source.split("\n"), 1) if "permute(2, 0" in row]
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("axes-wrong-order", lines[0])]
    assert [step.milestone for step in report.trace] == ["unfolded", None]


def test_view_on_a_transpose(judge):
    """An exception whose words tell the mistake names it, with its page."""
    source = find("drill-heads").solution().replace("moved.contiguous()", "moved")
    report = judge(source, "drill-heads")
    assert (report.verdict, report.error.kind) == ("error", "forward")
    assert [one.mistake for one in report.diagnosis] == ["view-needs-contiguous"]


def test_what_the_backward_pass_needs_is_overwritten(judge):
    """Torch raises where no line of the file runs: the line is that of the change in place."""
    source = """
import torch
from torch.nn.functional import elu

def linear_attention(query, key, value):
    q, k = elu(query) + 1, elu(key) + 1
    return (q @ (k.mT @ value)) / (q @ k.sum(2).unsqueeze(-1))

def causal_linear_attention(query, key, value):
    q, k, rows = elu(query) + 1, elu(key) + 1, torch.zeros_like(value)
    state = key.new_zeros(*key.shape[:2], key.shape[-1], value.shape[-1])
    for step in range(key.shape[2]):
        state += k[:, :, step, :, None] * value[:, :, step, None, :]
        rows[:, :, step] = (q[:, :, step, None, :] @ state).squeeze(2)
    return rows / (q * k.cumsum(2)).sum(-1, keepdim=True)
"""
    report = judge(source, "linear")
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("overwritten-in-place", 13)]
    failed = [check for check in report.checks if check.status == "fail"]
    assert [check.id for check in failed] == ["gradients"]
    assert "None" not in failed[0].detail
    assert judge(source.replace("state +=", "state = state +"), "linear").verdict == "pass"


@pytest.mark.costly
def test_heads_that_are_right_elsewhere_tell_nothing(judge):
    """Of keys of one head each, the line is where the wrong one is taken, not where it is made."""
    source = """
import torch
from torch import nn

class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.heads, self.groups, self.size = num_heads, num_kv_heads, hidden_dim // num_heads
        self.queries = nn.ModuleList(nn.Linear(hidden_dim, self.size) for _ in range(num_heads))
        self.keys = nn.ModuleList(nn.Linear(hidden_dim, self.size) for _ in range(num_kv_heads))
        self.values = nn.ModuleList(nn.Linear(hidden_dim, self.size) for _ in range(num_kv_heads))
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        keys = [layer(x) for layer in self.keys]
        values = [layer(x) for layer in self.values]
        context = []
        for head, layer in enumerate(self.queries):
            scores = layer(x) @ keys[head % self.groups].mT / self.size**0.5
            if attention_mask is not None:
                shown = attention_mask.expand(len(x), self.heads, x.shape[1], x.shape[1])
                scores = scores.masked_fill(shown[:, head] == 0, float("-inf"))
            context.append(scores.softmax(-1) @ values[head % self.groups])
        return self.output(torch.cat(context, dim=-1))
"""
    report = judge(source, "gqa")
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("kv-heads-tiled", 19)]
    right = source.replace("head % self.groups", "head // (self.heads // self.groups)")
    assert judge(right, "gqa").verdict == "pass"


@pytest.mark.parametrize(
    ("text", "broken"),
    [("w @ v", "by_matmul"), ("torch.matmul(w, v)", "by_operator"),
     ("torch.bmm(w[0], v[0])[None]", "by_operator")],
)  # fmt: skip
def test_scripted_operator(judge, text, broken):
    """A scripted function is seen as it is written: its operator, and where it is another's."""
    source = find("drill-matmul").solution()
    source = source.replace("from __future__ import annotations\n", "")
    for name in ("by_operator", "by_matmul"):
        source = source.replace(f"def {name}(", f"def was_{name}(")
        source += f"\n@torch.jit.script\ndef {name}(w: Tensor, v: Tensor):\n    return {text}\n"
    checks = judge(source, "drill-matmul").checks
    failed = {check.id: check.detail for check in checks if check.status == "fail"}
    assert failed["rules"].startswith(f"`{broken}`: ")
