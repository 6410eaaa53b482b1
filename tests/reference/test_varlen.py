"""Packed attention is torch's under the document mask, and each sequence's own by itself."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F
from attn_kata.reference.varlen import cumulative_lengths, document_mask, varlen_attention

LENGTHS = torch.tensor([0, 3, 1, 0, 4, 0])


@pytest.mark.parametrize("causal", [False, True])
def test_torch_agrees(causal):
    """In float64, with empty sequences at both ends, and 0 at the places behind the last."""
    draws = torch.Generator().manual_seed(0)
    query, key, value = torch.randn(3, 11, 2, 5, generator=draws, dtype=torch.float64)
    mask = document_mask(LENGTHS, 11)
    torchs = F.scaled_dot_product_attention(
        query.transpose(0, 1),
        key.transpose(0, 1),
        value.transpose(0, 1),
        attn_mask=mask.tril() if causal else mask,
    ).transpose(0, 1)
    mine = varlen_attention(query, key, value, LENGTHS, causal=causal)
    torch.testing.assert_close(mine[:8], torchs[:8], rtol=0, atol=1e-12)
    assert not mine[8:].any()
    assert not mask[8:].any()
    assert not mask[:, 8:].any()


def test_each_sequence_by_itself():
    """What lies beside a sequence in the buffer changes nothing."""
    draws = torch.Generator().manual_seed(1)
    query, key, value = torch.randn(3, 8, 2, 5, generator=draws, dtype=torch.float64)
    packed = varlen_attention(query, key, value, LENGTHS)
    bounds = cumulative_lengths(LENGTHS).tolist()
    assert bounds == [0, 0, 3, 4, 4, 8, 8]
    alone = [
        varlen_attention(query[a:b], key[a:b], value[a:b], torch.tensor([b - a]))
        for a, b in pairwise(bounds)
    ]
    torch.testing.assert_close(packed, torch.cat(alone), rtol=0, atol=1e-12)
