from __future__ import annotations

import torch
from torch import Tensor, nn


class Normalizer(nn.Module):
    def __init__(self, rate: float, axis: int = 1) -> None:
        super().__init__()
        self.axis = axis
        self.rate = nn.Dropout(rate)

    def forward(self, scores: Tensor, hidden: Tensor | None) -> Tensor:
        # scores: (batch, queries, keys, heads)
        if hidden is not None:
            scores = scores.masked_fill(hidden[..., None], torch.finfo(scores.dtype).min)
        return self.rate(torch.softmax(scores, dim=self.axis))


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.proj_q = nn.Linear(hidden_dim, hidden_dim)
        self.proj_k = nn.Linear(hidden_dim, hidden_dim)
        self.proj_v = nn.Linear(hidden_dim, hidden_dim)
        self.proj_o = nn.Linear(hidden_dim, hidden_dim)
        self.norm = Normalizer(dropout)

    def heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1))

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.heads(self.proj_q(query))
        k = self.heads(self.proj_k(key))
        v = self.heads(self.proj_v(value))
        scores = torch.einsum("bqhd,bkhd->bqkh", q, k) * q.shape[-1] ** -0.5
        weights = self.norm(scores, None if mask is None else mask == 0)
        return self.proj_o(torch.einsum("bqkh,bkhd->bqhd", weights, v).flatten(2))
