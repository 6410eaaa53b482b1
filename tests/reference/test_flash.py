"""Attention in tiles is attention."""

from __future__ import annotations

import pytest
import torch
from attn_kata.reference.flash import flash_attention
from attn_kata.reference.sdpa import attention


@pytest.mark.parametrize("gain", [1, 40])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block_size", [1, 3, 4, 11, 12])
def test_tiles_change_nothing(block_size, causal, gain):
    """Whether the block divides the length, equals it or is larger, and for large scores too."""
    draws = torch.Generator().manual_seed(0)
    query, key, value = torch.randn(3, 2, 3, 11, 4, generator=draws, dtype=torch.float64) * gain
    made = flash_attention(query, key, value, block_size, causal)
    truth = attention(query, key, value, causal=causal)
    torch.testing.assert_close(made, truth, rtol=0, atol=1e-12 * gain)
