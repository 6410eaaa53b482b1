"""Cached cross-attention is torch's attention to the first call's memory, however it is cut."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from attn_kata.reference.cross_cache import CachedCrossAttention


def test_torch_agrees():
    """In float64, with padding, and with another memory handed over in the second call."""
    torch.manual_seed(0)
    module = CachedCrossAttention(12, 3).double()
    x, memory, other = (torch.randn(2, n, 12, dtype=torch.float64) for n in (5, 7, 7))
    lengths = torch.tensor([4, 7])
    first, cache = module(x[:, :3], memory, lengths)
    second, _ = module(x[:, 3:], other, torch.tensor([1, 2]), cache)

    def split(t: torch.Tensor) -> torch.Tensor:
        return t.unflatten(-1, (3, 4)).transpose(1, 2)

    seen = (torch.arange(7) < lengths[:, None])[:, None, None]
    torchs = F.scaled_dot_product_attention(
        split(module.query_proj(x)),
        split(module.key_proj(memory)),
        split(module.value_proj(memory)),
        seen,
    )
    asked = module.output_proj(torchs.transpose(1, 2).flatten(2))
    torch.testing.assert_close(torch.cat([first, second], 1), asked, rtol=0, atol=1e-12)
