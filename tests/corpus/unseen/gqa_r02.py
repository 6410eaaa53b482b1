# attn-kata: gqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Never materialises repeated keys: queries are (batch, kv_heads, group, length, head_dim)."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.h, self.kv, self.g = num_heads, num_kv_heads, num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.widths = [self.h * self.d, self.kv * self.d, self.kv * self.d]
        self.wqkv = nn.Linear(hidden_dim, sum(self.widths))
        self.wo = nn.Linear(self.h * self.d, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        q, k, v = self.wqkv(x).split(self.widths, dim=-1)
        q = q.view(b, n, self.kv, self.g, self.d).permute(0, 2, 3, 1, 4)
        k = k.view(b, n, self.kv, self.d).transpose(1, 2).unsqueeze(2)
        v = v.view(b, n, self.kv, self.d).transpose(1, 2).unsqueeze(2)
        s = torch.matmul(q * self.d ** -0.5, k.mT)
        if attention_mask is not None:
            blocked = attention_mask == 0
            if blocked.any():
                flat = s.flatten(1, 2).masked_fill(blocked, float("-inf"))
                s = flat.view_as(s)
        o = torch.matmul(s.softmax(dim=-1), v)
        return self.wo(o.permute(0, 3, 1, 2, 4).reshape(b, n, -1))
