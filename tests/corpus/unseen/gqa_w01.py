# attn-kata: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Grouped einsum: n sequences, g queries per key head, k key heads."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.kv_heads = num_kv_heads
        self.groups = num_heads // num_kv_heads
        self.dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.dim)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.o = nn.Linear(num_heads * self.dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        n, t, _ = x.shape
        q = self.q(x).view(n, t, self.groups, self.kv_heads, self.dim)
        k = self.k(x).view(n, t, self.kv_heads, self.dim)
        v = self.v(x).view(n, t, self.kv_heads, self.dim)
        logits = torch.einsum("nigkd,njkd->ngkij", q, k) / math.sqrt(self.dim)
        if attention_mask is not None:
            logits = logits.reshape(n, self.heads, t, t)
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
            logits = logits.view(n, self.groups, self.kv_heads, t, t)
        weights = torch.softmax(logits, dim=-1)
        out = torch.einsum("ngkij,njkd->nigkd", weights, v)
        return self.o(out.reshape(n, t, self.heads * self.dim))
