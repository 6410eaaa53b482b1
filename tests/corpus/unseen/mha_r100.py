from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Per-head weights in one tensor (3, heads, head_dim, hidden_dim); einsum does the rest."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        head_dim = hidden_dim // num_heads
        self.in_weight = nn.Parameter(torch.randn(3, num_heads, head_dim, hidden_dim) * hidden_dim**-0.5)
        self.in_bias = nn.Parameter(torch.zeros(3, num_heads, 1, head_dim))
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.head_dim = head_dim

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = torch.einsum("zhkm,btm->zbhtk", self.in_weight, x) + self.in_bias.unsqueeze(1)
        s = torch.einsum("bhqk,bhrk->bhqr", q, k) * self.head_dim**-0.5
        if attention_mask is not None:
            allowed = attention_mask.ne(0).expand_as(s)
            s = torch.where(allowed, s, torch.finfo(s.dtype).min)
        p = self.dropout(s.softmax(-1))
        y = torch.einsum("bhqr,bhrk->bqhk", p, v)
        return self.out(y.flatten(-2))
