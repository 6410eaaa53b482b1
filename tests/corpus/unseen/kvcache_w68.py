from __future__ import annotations

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """One fused projection; the cache is the (key, value) pair of tensors."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.dh = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache=None):
        b, n, _ = x.shape
        q, k, v = self.wqkv(x).view(b, n, 3, self.h, self.dh).permute(2, 0, 3, 1, 4).unbind(0)
        if cache is not None:
            k, v = (torch.cat(pair, dim=2) for pair in zip(cache, (k, v)))
        k = k * self.dh**-0.5  # fold the scale into the keys
        m = k.size(2)
        visible = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        att = (q @ k.mT).masked_fill(visible.logical_not(), float("-inf")).softmax(-1)
        y = (att @ v).transpose(1, 2).flatten(2)
        return self.wo(y), (k, v)
