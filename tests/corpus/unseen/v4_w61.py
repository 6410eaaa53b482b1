# attn-kata: v4
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def numeric_limit_min(dtype: torch.dtype) -> float:
    """std::numeric_limits<T>::min()"""
    return torch.finfo(dtype).tiny


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim_: int = hidden_dim
        self.q_proj_ = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj_ = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj_ = nn.Linear(hidden_dim, hidden_dim)
        self.dropout_ = nn.Dropout(dropout)

    def scores_(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        inv_sqrt_d: float = 1.0 / math.sqrt(float(self.hidden_dim_))
        s = torch.matmul(q, k.transpose(-2, -1)).mul(inv_sqrt_d)  # [B, N, N]
        if mask is None:
            return s
        return s.masked_fill(mask == 0, numeric_limit_min(s.dtype))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.q_proj_(x)
        k = self.k_proj_(x)
        v = self.v_proj_(x)
        w = torch.softmax(self.scores_(q, k, attention_mask), dim=-1)
        w = self.dropout_(w)
        return torch.matmul(w, v)
