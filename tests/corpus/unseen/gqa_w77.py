from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """分组查询注意力:每组 query 头共用一个 kv 头,不复制 kv。"""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, c = x.shape
        q = self.q_proj(x).view(b, t, self.group, self.num_kv_heads, self.head_dim)
        k = self.k_proj(x).view(b, t, self.num_kv_heads, self.head_dim)
        v = self.v_proj(x).view(b, t, self.num_kv_heads, self.head_dim)

        scores = torch.einsum("bigkd,bjkd->bgkij", q, k) * self.head_dim ** -0.5
        scores = scores.reshape(b, self.num_heads, t, t)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = scores.softmax(-1)
        weights = weights.view(b, self.group, self.num_kv_heads, t, t)
        out = torch.einsum("bgkij,bjkd->bigkd", weights, v)
        return self.o_proj(out.reshape(b, t, c))
