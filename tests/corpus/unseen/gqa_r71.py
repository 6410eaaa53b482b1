# attn-kata: gqa
# One gemm per kv head: the queries of its group are stacked along the rows.
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class _KvGroup(nn.Module):
    """A key head, a value head, and the query heads that read them."""

    def __init__(self, hidden: int, group: int, head_dim: int) -> None:
        super().__init__()
        self.group, self.head_dim = group, head_dim
        self.q = nn.Linear(hidden, group * head_dim, bias=False)
        self.k = nn.Linear(hidden, head_dim, bias=False)
        self.v = nn.Linear(hidden, head_dim, bias=False)

    def forward(self, x: Tensor, hidden_mask: Tensor | None) -> Tensor:
        b, t, _ = x.shape
        q = self.q(x).view(b, t, self.group, self.head_dim).permute(0, 2, 1, 3)
        s = q.reshape(b, self.group * t, self.head_dim) @ self.k(x).transpose(1, 2)
        s = s.view(b, self.group, t, t) / math.sqrt(self.head_dim)
        if hidden_mask is not None:
            s = s.masked_fill(hidden_mask, float("-inf"))
        p = s.softmax(-1).view(b, self.group * t, t)
        y = (p @ self.v(x)).view(b, self.group, t, self.head_dim)
        return y.permute(0, 2, 1, 3).reshape(b, t, self.group * self.head_dim)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError("hidden_dim, num_heads and num_kv_heads must divide one another")
        self.group = num_heads // num_kv_heads
        self.groups = nn.ModuleList(
            _KvGroup(hidden_dim, self.group, hidden_dim // num_heads) for _ in range(num_kv_heads)
        )
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        parts = []
        for g, block in enumerate(self.groups):
            hide = None
            if attention_mask is not None:
                hide = attention_mask == 0
                if hide.size(1) > 1:
                    hide = hide[:, g * self.group : (g + 1) * self.group]
            parts.append(block(x, hide))
        return self.o(torch.cat(parts, dim=-1))
