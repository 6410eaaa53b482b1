"""Attention over a paged cache is torch's over each sequence's own tokens."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from attn_kata.reference.paged import paged_attention


def test_torch_agrees():
    """In float64, with shared query heads, shared blocks, part full ones and entries not in use."""
    draws = torch.Generator().manual_seed(0)
    query = torch.randn(3, 6, 5, generator=draws, dtype=torch.float64)
    keys, values = torch.randn(2, 8, 4, 2, 5, generator=draws, dtype=torch.float64)
    table = torch.tensor([[7, 2, 5], [7, 0, 6], [3, 3, 3]])
    lengths = torch.tensor([6, 12, 1])
    mine = paged_attention(query, keys, values, table, lengths)
    for one, row, length, context in zip(query, table, lengths.tolist(), mine, strict=True):
        k, v = (pool[row].flatten(0, 1)[:length].transpose(0, 1) for pool in (keys, values))
        torchs = F.scaled_dot_product_attention(one.unsqueeze(1), k, v, enable_gqa=True)
        torch.testing.assert_close(context, torchs.squeeze(1), rtol=0, atol=1e-12)
