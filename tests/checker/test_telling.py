"""What an answer tells of a mistake, and what it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attn_kata.checker.report.report import Report

Judge = Callable[..., Report]

_ALIBI = """
import math
import torch

def slopes(heads):
    low = 2 ** (heads.bit_length() - 1)
    coarse = [2 ** (-8 * (i + 1) / low) for i in range(low)]
    return torch.tensor(coarse + [2 ** (-4 * (2 * i + 1) / low) for i in range(heads - low)])

def bias(heads, query_length, key_length):
    q = torch.arange(key_length - query_length, key_length)[:, None]
    k = torch.arange(key_length)
    return {bias}

def attention(query, key, value):
    s = query @ key.mT / math.sqrt(query.shape[-1])
    s = s + bias(s.shape[1], s.shape[2], s.shape[3]).to(s)
    return s.softmax(-1) @ value
"""
_SLOPED = "slopes(heads)[:, None, None] * (k - q)"

_LINEAR = """
import torch

def phi(x):
    positive = (x > 0).to(x.dtype)
    return positive * (x + 1) + (1 - positive) * {power}

def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value) / (q @ k.sum(-2)[..., None])

def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    read = (q[..., None] * (k[..., None] * value[..., None, :]).cumsum(2)).sum(-2)
    return read / (q * k.cumsum(2)).sum(-1, keepdim=True)
"""


@pytest.mark.parametrize(
    "bias",
    [
        f"torch.sqrt({_SLOPED} - 1)",
        f"{_SLOPED} + torch.tensor(float('nan'))",
        f"({_SLOPED}) / (q - q)",
    ],
)
def test_nan_in_place_of_numbers_names_no_pair_of_mistakes(judged: Judge, bias: str) -> None:
    """Many pairs of mistakes end in NaN everywhere; that a submission does names none of them."""
    report = judged("alibi", _ALIBI.format(bias=bias))
    assert report.verdict == "fail"
    assert len(report.diagnosis) < 2


@pytest.mark.parametrize("power", ["torch.exp(x)", "x.exp()", "torch.e ** x"])
def test_a_feature_map_that_overflows_is_not_called_another(judged: Judge, power: str) -> None:
    """0 · inf is NaN for large inputs alone; other feature maps end in NaN there as well."""
    report = judged("linear", _LINEAR.format(power=power))
    assert report.verdict == "fail"
    assert "linear-feature-map-other" not in [one.mistake for one in report.diagnosis]


def test_an_exp_that_is_limited_has_gradients_at_large_inputs(judged: Judge) -> None:
    """The same map passes once exp gets nothing that overflows."""
    assert judged("linear", _LINEAR.format(power="x.clamp(max=0).exp()")).verdict == "pass"


_MASK = """
import torch

{named}

def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]

def key_mask(mask):
    return mask[:, None, None]

def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.shape[1], -1)

def causal_mask(length):
    return torch.ones(length, length).tril().bool()

def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)

def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, {fill}).softmax(-1)

def additive_mask(mask, scores):
    return scores.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))
"""


@pytest.mark.parametrize(
    ("named", "fill", "said"),
    [("", "-1e9", "-1e+09"), ("LOW = -1e9", "LOW", "the number that it is filled with")],
)
def test_a_fill_that_overflows_is_told_of_as_what_it_is(
    judged: Judge, named: str, fill: str, said: str
) -> None:
    """The remark is about the fill, be it written elsewhere, and not about weights or inputs."""
    report = judged("drill-mask", _MASK.format(named=named, fill=fill))
    assert report.verdict == "pass"
    remark = next(one for one in report.remarks if one.id == "fill-overflows-half")
    assert str(remark.message).startswith(f"{said} does not fit float16")
