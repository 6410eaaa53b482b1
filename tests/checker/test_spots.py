"""Where a result is wrong in part, and what is right but in another order."""

import re

import pytest
from attn_kata.checker.client import Options
from attn_kata.sentences.wording import worded

ROWS = """\
import math
import torch

def attention(query, key, value, mask=None, causal=False):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    if causal:
        rows, columns = scores.shape[-2:]
        ahead = torch.ones(rows, columns, device=query.device).triu(columns - rows + 1)
        scores = scores.masked_fill(ahead == 1, torch.finfo(scores.dtype).min)
    output = scores.softmax(-1) @ value
    {end}
"""
STEP = """\
import torch
import torch.nn.functional as F

def gated_step(query, key, value, gate, state):
    kept = (F.logsigmoid(gate) / 16).exp()[..., None, None]
    state = kept * state + key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ state).squeeze(-2), state * 2
"""


def told(bench, tmp_path, kata, source, language="en"):
    """What is said of where a source's result is wrong."""
    file = tmp_path / "mine.py"
    file.write_text(source)
    (report,) = bench.judge(kata, [file], Options(seed=5, timeout=60.0, device="cpu"))
    shown = worded(report, language).difference
    assert shown is not None
    return str(shown.where)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("return output.flip(0)", "all values are right, but in another order along batch: 1, 0"),
        ("output[:, 0] = 7.0; return output", r"wrong at heads 0, right at heads [\d–]+"),
        ("output[..., 0] = 7.0; return output", r"wrong at value_dim 0, right at value_dim [\d–]+"),
        ("return output + 1", ""),
    ],
)
def test_part(bench, tmp_path, end, said) -> None:
    """A part, an order, or neither: by the axis of which the least is wrong."""
    assert re.fullmatch(said, told(bench, tmp_path, "sdpa", ROWS.format(end=end)))


def test_axis(bench, tmp_path) -> None:
    """A result of one axis has an order too."""
    source = "import torch\ndef slopes(num_heads): return 2.0 ** -torch.arange(num_heads)"
    assert "right at heads" in told(bench, tmp_path, "alibi", source)


def test_result(bench, tmp_path) -> None:
    """Of two results the first is right."""
    said = told(bench, tmp_path, "gated-linear", STEP)
    assert said == "wrong in `new_state`, right in `row`"
    assert told(bench, tmp_path, "gated-linear", STEP, "zh") == "`new_state` 不对，`row` 是对的"
