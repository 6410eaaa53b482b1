"""Softmax by hand: stable on any axis, its normaliser's logarithm, and with a mask."""

from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Turn x, (batch, length, classes) of any float dtype, into shares that add up to 1 on dim."""
    highest = x.amax(dim=dim, keepdim=True)  # (batch, length, 1)
    exps = (x - highest).exp()  # (batch, length, classes)
    total = exps.sum(dim=dim, keepdim=True)  # (batch, length, 1)
    shares = exps / total  # (batch, length, classes)
    return shares


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    """Return log(sum(exp(x))) over dim, which is gone from the result's shape."""
    top = x.amax(dim=dim, keepdim=True)  # (batch, length, 1)
    below = (x - top).exp()  # (batch, length, classes)
    logs = below.sum(dim=dim).log()  # (batch, length)
    result = logs + top.squeeze(dim)  # (batch, length)
    return result


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis of what the mask shows; a row that shows nothing is all 0.

    scores is (batch, heads, query_length, key_length) of any float dtype. mask broadcasts to
    it: 1 where a score counts and 0 where not, any dtype.
    """
    masked_scores = scores.masked_fill(mask == 0, float("-inf"))
    peak = masked_scores.amax(dim=-1, keepdim=True)  # (batch, heads, query_length, 1)
    # An empty row's is -inf, and -inf - -inf would be NaN.
    base = peak.clamp_min(torch.finfo(scores.dtype).min)  # (batch, heads, query_length, 1)
    parts = (masked_scores - base).exp()  # (batch, heads, query_length, key_length)
    # The largest part is 1, so that only an empty row's sum is raised.
    sums = parts.sum(dim=-1, keepdim=True).clamp_min(1)  # (batch, heads, query_length, 1)
    weights = parts / sums  # (batch, heads, query_length, key_length)
    return weights
