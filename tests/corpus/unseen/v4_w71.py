from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Single-head self attention.

    Args:
        hidden_dim (int): The number of features.
        dropout (float): Dropout rate.

    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d_k = hidden_dim
        self.linear_q = nn.Linear(hidden_dim, hidden_dim)
        self.linear_k = nn.Linear(hidden_dim, hidden_dim)
        self.linear_v = nn.Linear(hidden_dim, hidden_dim)
        self.linear_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        if attention_mask is not None:
            mask = attention_mask[:, :1].eq(0)  # (batch, 1, time2)
            scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        attn = self.dropout(F.softmax(scores, dim=-1))
        return self.linear_out(torch.matmul(attn, v))
