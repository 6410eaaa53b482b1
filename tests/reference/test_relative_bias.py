"""The buckets are those of T5's published code, and attention is torch's with the bias added."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from attn_kata.reference.relative_bias import attention, bias, bucket


def published(distance: int, n: int, max_distance: int) -> int:
    """One direction's bucket, a number at a time."""
    exact = n // 2
    if distance < exact:
        return distance
    growth = math.log(distance / exact) / math.log(max_distance / exact)
    return min(exact + int(growth * (n - exact)), n - 1)


@pytest.mark.parametrize(("num_buckets", "max_distance"), [(32, 128), (20, 30), (10, 50), (4, 9)])
def test_buckets(num_buckets, max_distance):
    """Both directions and one, far beyond the last bucket's beginning."""
    far = range(-300, 301)
    half = num_buckets // 2
    both = [published(abs(one), half, max_distance) + half * (one > 0) for one in far]
    past = [published(max(-one, 0), num_buckets, max_distance) for one in far]
    positions = torch.tensor(far)
    assert bucket(positions, True, num_buckets, max_distance).tolist() == both
    assert bucket(positions, False, num_buckets, max_distance).tolist() == past


@pytest.mark.parametrize("bidirectional", [True, False])
def test_torch_agrees(bidirectional):
    """In float64, with fewer queries than keys and no scale."""
    draws = torch.Generator().manual_seed(0)
    query, key, value, table = (
        torch.randn(shape, generator=draws, dtype=torch.float64)
        for shape in ((2, 3, 4, 5), (2, 3, 40, 5), (2, 3, 40, 6), (10, 3))
    )
    added = bias(table, 4, 40, bidirectional, 30)
    if not bidirectional:
        added = added.masked_fill(torch.ones(4, 40).tril(36) == 0, float("-inf"))
    torchs = F.scaled_dot_product_attention(query, key, value, attn_mask=added, scale=1.0)
    mine = attention(query, key, value, table, bidirectional, 30)
    torch.testing.assert_close(mine, torchs, rtol=0, atol=1e-12)
