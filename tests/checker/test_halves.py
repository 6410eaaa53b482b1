"""Half precision and autocast on the CPU: right code stays right, a fixed dtype is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report.report import Check, Report
from attn_kata.kata.catalogue import find

Judge = Callable[..., Report]

MHA = """\
import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("scale", torch.tensor([self.d**-0.5]), persistent=False)

    def forward(self, x, attention_mask=None):
        b, t, w = x.shape
        split = (b, t, self.h, self.d)
        q, k, v = (f(x).view(split).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(attention_mask == 0, lowest)
        weights = scores.softmax(-1)
        out = self.drop(weights) @ v
        return self.o(out.transpose(1, 2).reshape(b, t, w))
"""

FINE = {
    "as it is": ("", ""),
    "a fill of -1e20": ("attention_mask == 0, lowest", "attention_mask == 0, -1e20"),
    "a fill of -1e9": ("attention_mask == 0, lowest", "attention_mask == 0, -1e9"),
    "a fill of -inf": ("attention_mask == 0, lowest", 'attention_mask == 0, float("-inf")'),
    "softmax in float32 and back": (
        "scores.softmax(-1)", "scores.float().softmax(-1).to(v.dtype)",
    ),
    "softmax with dtype= and back": (
        "scores.softmax(-1)", "torch.softmax(scores, -1, dtype=torch.float32).type_as(v)",
    ),
    "scores in float32 and back": (
        "q @ k.transpose(-2, -1) / math.sqrt(self.d)",
        "(q.float() @ k.float().transpose(-2, -1) / math.sqrt(self.d)).to(q.dtype)",
    ),
    "a float32 scalar": (
        "/ math.sqrt(self.d)", "/ torch.sqrt(torch.tensor(self.d, dtype=torch.float32))",
    ),
    "a buffer, which moves along": ("/ math.sqrt(self.d)", "* self.scale"),
    "a penalty in the scores' dtype": (
        "scores.masked_fill(attention_mask == 0, lowest)",
        "scores + (1 - attention_mask.to(scores.dtype)) * -1e4",
    ),
    # An operator that autocast does not know.
    "tensordot under autocast": (
        "self.o(out.transpose(1, 2).reshape(b, t, w))",
        "torch.tensordot(out.transpose(1, 2).reshape(b, t, w), self.o.weight.T, 1) + self.o.bias",
    ),
}  # fmt: skip
# What is changed, and what stands on the line that is named.
FIXED = {
    "softmax in float32 alone": ("scores.softmax(-1)", "scores.float().softmax(-1)", "float()"),
    "a float32 constant": (
        "/ math.sqrt(self.d)", "* torch.full((1, 1), 1 / math.sqrt(self.d))", "torch.full",
    ),
    "a float32 mask": (
        "scores.masked_fill(attention_mask == 0, lowest)",
        "scores + (1 - attention_mask.float()) * -1e4", "attention_mask.float()",
    ),
    "values in float32": ("(weights) @ v", "(weights).float() @ v.float()", "v.float()"),
}  # fmt: skip


def dtypes(report: Report) -> Check:
    """The check of that name."""
    return next(check for check in report.checks if check.id == "dtypes")


@pytest.mark.parametrize("change", FINE.values(), ids=FINE)
def test_right_in_half_precision(judged: Judge, change: tuple[str, str]) -> None:
    """Right code passes in every dtype; a fill that float16 cannot hold is a remark."""
    old, new = change
    assert not old or MHA.count(old) == 1
    report = judged("mha", MHA.replace(old, new) if old else MHA)
    assert report.verdict == "pass", [c for c in report.checks if c.status == "fail"]
    assert [r.id for r in report.remarks if r.id == "fill-overflows-half"] == (
        ["fill-overflows-half"] if "-1e20" in new or "-1e9" in new else []
    )


@pytest.mark.costly
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize(
    ("fill", "told"),
    [("-6e4 if scores.dtype == torch.float16 else -1e9", []), ("-1e9", ["fill-overflows-half"])],
    ids=["by dtype", "everywhere"],
)
def test_a_fill_that_asks_for_the_dtype(judged: Judge, *, fill: str, told: list[str], wrong: bool):
    """A fill fits float16 where code picks one that does, with or without a mask, right or not."""
    source = find("window").solution().replace("torch.finfo(scores.dtype).min", fill)
    report = judged("window", source.replace("math.sqrt(", "1.3 * math.sqrt(") if wrong else source)
    assert report.verdict == ("fail" if wrong else "pass")
    assert [each.id for each in report.remarks] == told


@pytest.mark.parametrize("change", FIXED.values(), ids=FIXED)
def test_a_fixed_dtype(judged: Judge, change: tuple[str, str, str]) -> None:
    """A dtype that is written into the code is named on its line."""
    old, new, marked = change
    source = MHA.replace(old, new)
    report = judged("mha", source)
    assert report.verdict == "fail"
    row = next(n for n, row in enumerate(source.splitlines(), start=1) if marked in row)
    assert ("dtype-hardcoded", row) in [(one.mistake, one.line) for one in report.diagnosis]


def test_autocast_is_tried(judged: Judge) -> None:
    """A float32 module is called under autocast, and held against bfloat16's bound."""
    assert str(dtypes(judged("mha", MHA)).detail).endswith(", autocast")
    unknown = judged("mha", MHA.replace(*FINE["tensordot under autocast"]))
    assert "autocast" not in str(dtypes(unknown).detail)
    assert dtypes(judged("mha", MHA)).cases > dtypes(unknown).cases


def test_wrong_under_autocast(judged: Judge) -> None:
    """Numbers that are wrong under autocast alone fail, and it is said where."""
    wrong = "scores.softmax(-1) * (1.3 if torch.is_autocast_cpu_enabled() else 1)"
    report = judged("mha", MHA.replace("scores.softmax(-1)", wrong))
    assert report.verdict == "fail"
    assert str(dtypes(report).detail).startswith("autocast to bfloat16: off by")
    chinese = judged("mha", MHA.replace("scores.softmax(-1)", wrong), language="zh")
    assert str(dtypes(chinese).detail).startswith("autocast 到 bfloat16")


@pytest.mark.parametrize("seed", [13064, 3483, 8582])
def test_what_the_model_answer_loses_to_rounding_is_held_against_nobody(
    bench: Bench, tmp_path: Path, seed: int
) -> None:
    """Two maps that cancel leave rounding alone for the norm: such draws are not judged by."""
    path = tmp_path / "mine.py"
    path.write_text(find("differential").solution(), "utf-8")
    report = next(bench.judge("differential", [path], Options(seed=seed, device="cpu")))
    assert report.verdict == "pass"


@pytest.mark.parametrize("seed", [2014, 2015, 2059])
def test_a_detour_through_float32_may_lose_as_much(bench: Bench, tmp_path: Path, seed: int) -> None:
    """With λ near 1 a single key's output is what a λ in float32 leaves of it: no case to judge."""
    source = find("differential").solution()
    exact = "self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)"
    assert source.count(exact) == 1
    rounded = "initial = 0.8 - 0.6 * torch.tensor(-0.3 * depth).exp()"
    kept = 'self.register_buffer("lambda_init", initial, persistent=False)'
    path = tmp_path / "mine.py"
    path.write_text(source.replace(exact, f"{rounded}\n        {kept}"), "utf-8")
    report = next(bench.judge("differential", [path], Options(seed=seed, device="cpu")))
    assert report.verdict == "pass", [one for one in report.checks if one.status == "fail"]
