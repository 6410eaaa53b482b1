"""ALiBi, attention with linear biases (Press, Smith and Lewis 2022, section 3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    """Return one positive slope for each head, (heads,).

    For a power of two 2^(-8i/heads), i from 1. For other counts those of the largest power of
    two below, and then every other one of the next power's, from its first (the authors' rule).
    """
    nearest = 2 ** (heads.bit_length() - 1)
    order = torch.arange(1, nearest + 1)
    coarse = 2.0 ** (-8 * order / nearest)
    finer = 2.0 ** (-4 * torch.arange(1, 2 * nearest + 1) / nearest)
    rates = torch.cat([coarse, finer[0::2]])[:heads]  # (heads)
    return rates


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    """Return what is added to the scores, (heads, query_length, key_length).

    -slope · distance for keys up to the query's own position, where it is 0, and -inf for later
    ones. The queries are the last query_length of the key_length positions.
    """
    query_positions = torch.arange(key_length - query_length, key_length)  # (query_length)
    key_positions = torch.arange(key_length)  # (key_length)
    distance = query_positions[:, None] - key_positions  # (query_length, key_length)
    rate = slopes(heads)[:, None, None]  # (heads, 1, 1)
    sloped = -rate * distance  # (heads, query_length, key_length)
    later = distance < 0  # (query_length, key_length)
    offsets = sloped.masked_fill(later, float("-inf"))  # (heads, query_length, key_length)
    return offsets


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal attention whose only sense of position is the bias.

    query is (batch, heads, query_length, head_dim), key (batch, heads, key_length, head_dim)
    and value (batch, heads, key_length, value_dim); any float dtype. Returns (batch, heads,
    query_length, value_dim).
    """
    heads, query_length, head_dim = query.shape[-3:]
    key_length = key.shape[-2]
    products = query @ key.mT  # (batch, heads, query_length, key_length)
    scores = products / math.sqrt(head_dim)  # (batch, heads, query_length, key_length)
    added = bias(heads, query_length, key_length).to(scores)  # (heads, query_length, key_length)
    biased = scores + added  # (batch, heads, query_length, key_length)
    weights = biased.softmax(dim=-1)  # (batch, heads, query_length, key_length)
    output = weights @ value  # (batch, heads, query_length, value_dim)
    return output
