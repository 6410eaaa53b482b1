from __future__ import annotations

import torch
from torch import Tensor, nn


class ScaledDotProduct(nn.Module):
    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.scale = 1.0 / width**0.5
        self.dropout = nn.Dropout(dropout)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.scale
        if mask is not None:
            scores = scores.masked_fill(mask.to(torch.bool).logical_not(), torch.finfo(scores.dtype).min)
        return torch.einsum("bhqk,bhkd->bhqd", self.dropout(scores.softmax(dim=-1)), v)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.core = ScaledDotProduct(hidden_dim, dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            p(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        context = self.core(q, k, v, attention_mask)
        return self.o_proj(context.transpose(1, 2).flatten(2))
