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
    three = [torch.randn(11, 2, 5, generator=draws, dtype=torch.float64) for _ in range(3)]
    mask = document_mask(LENGTHS, 11)
    heads_first = [one.transpose(0, 1) for one in three]
    torchs = F.scaled_dot_product_attention(
        *heads_first, attn_mask=mask.tril() if causal else mask
    ).transpose(0, 1)
    mine = varlen_attention(*three, LENGTHS, causal=causal)
    torch.testing.assert_close(mine[:8], torchs[:8], rtol=0, atol=1e-12)
    assert not mine[8:].any()
    assert not mask[8:].any()
    assert not mask[:, 8:].any()


def test_each_sequence_by_itself():
    """What lies beside a sequence in the buffer changes nothing."""
    draws = torch.Generator().manual_seed(1)
    three = [torch.randn(8, 2, 5, generator=draws, dtype=torch.float64) for _ in range(3)]
    packed = varlen_attention(*three, LENGTHS)
    bounds = cumulative_lengths(LENGTHS).tolist()
    assert bounds == [0, 0, 3, 4, 4, 8, 8]
    alone = [
        varlen_attention(*(one[a:b] for one in three), torch.tensor([b - a]))
        for a, b in pairwise(bounds)
    ]
    torch.testing.assert_close(packed, torch.cat(alone), rtol=0, atol=1e-12)
