# attn-kata: kvcache
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """The cache is one tensor (2, batch, heads, positions, head_dim): one cat a step, not two."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, c = x.shape
        qkv = self.wqkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        q, kv = qkv[0] * self.d ** -0.5, qkv[1:]
        if cache is not None:
            kv = torch.cat((cache, kv), dim=3)
        k, v = kv
        s = q @ k.mT
        if t > 1:
            n = k.size(2)
            later = torch.ones(t, n, dtype=torch.bool, device=x.device).triu(n - t + 1)
            s = s.masked_fill(later, float("-inf"))
        y = (s.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, t, c)
        return self.wo(y), kv
