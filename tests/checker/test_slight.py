"""A mask's penalty that is far too small is told from a mask that is not used."""

import pytest
from attn_kata.checker.client import Options

SOURCE = """import math, torch
def attention(query, key, value, mask=None, causal=False):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        {hide}
    if causal:
        q, k = s.shape[-2:]
        seen = torch.ones(q, k, dtype=torch.bool, device=s.device).tril(k - q)
        s = s.masked_fill(~seen, -math.inf)
    return s.softmax(-1) @ value
"""
SMALL = {
    "times": "s = s + (1 - mask.to(s.dtype)) * -1e-9",
    "taken away": "s = s - 1e-9 * (mask == 0)",
    "a bias": "s = s + torch.zeros_like(s).masked_fill(mask == 0, -1e-6)",
}
NONE = {
    "not used": "mask == 0",
    "used and gone": "s = s + 0 * (mask == 0)",
    "no penalty": "s = s + (1 - mask.to(s.dtype)) * 1e-9",
    "a number elsewhere": "s = s + 1e-9 * s",
}


def told(bench, tmp_path, hide):
    """The mistakes that are told, each with its line."""
    path = tmp_path / "mine.py"
    path.write_text(SOURCE.format(hide=hide))
    report = next(bench.judge("sdpa", [path], Options(seed=3)))
    assert report.verdict == "fail"
    return [(one.mistake, one.line) for one in report.diagnosis]


@pytest.mark.parametrize("hide", SMALL.values(), ids=SMALL)
def test_small(bench, tmp_path, hide):
    """What is added changes no digit of the result; it is there, and told at its line."""
    assert told(bench, tmp_path, hide) == [("mask-fill-small", 5)]


@pytest.mark.parametrize("hide", NONE.values(), ids=NONE)
def test_none(bench, tmp_path, hide):
    """Of a mask that lowers no score at all it is not said that its fill is too small."""
    assert [name for name, _ in told(bench, tmp_path, hide)] == ["mask-ignored"]
