from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout

    def fold(self, t: Tensor) -> Tensor:
        """(b, n, h*d) -> (b*h, n, d)"""
        b, n, c = t.shape
        t = t.reshape(b, n, self.heads, c // self.heads)
        return t.permute(0, 2, 1, 3).reshape(b * self.heads, n, -1)

    def unfold(self, t: Tensor, b: int) -> Tensor:
        """(b*h, n, d) -> (b, n, h*d)"""
        bh, n, d = t.shape
        return t.reshape(b, self.heads, n, d).permute(0, 2, 1, 3).reshape(b, n, -1)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q, k, v = self.fold(self.q(query)), self.fold(self.k(key)), self.fold(self.v(value))
        sim = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
        if mask is not None:
            mask = mask.repeat(self.heads, 1, 1)
            sim = sim.masked_fill(mask == 0, torch.finfo(sim.dtype).min)
        attn = F.dropout(sim.softmax(dim=-1), self.dropout, self.training)
        return self.o(self.unfold(torch.bmm(attn, v), query.shape[0]))
