# right: gqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError("heads do not divide")
        self.groups = num_kv_heads
        self.per_group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        width = num_kv_heads * (2 + self.per_group) * self.head_dim
        self.kvq = nn.Linear(hidden_dim, width)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, c = x.shape
        h = self.kvq(x).view(b, n, self.groups, 2 + self.per_group, self.head_dim)
        h = h.permute(0, 2, 3, 1, 4)  # b, group, slot, n, d
        k, v, q = h[:, :, 0:1], h[:, :, 1:2], h[:, :, 2:]
        s = (q @ k.transpose(-1, -2)) * self.head_dim**-0.5  # b, group, r, n, n
        if attention_mask is not None:
            m = attention_mask.bool()
            m = m.expand(b, self.groups * self.per_group, n, n)
            m = m.reshape(b, self.groups, self.per_group, n, n)
            s = s.masked_fill(~m, torch.finfo(s.dtype).min)
        y = torch.softmax(s, -1) @ v
        y = y.permute(0, 3, 1, 2, 4).reshape(b, n, c)
        return self.dense(y)
