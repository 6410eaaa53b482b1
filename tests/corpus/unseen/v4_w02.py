# attn-kata: v4
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Column-vector notation throughout: S = K Qᵀ, the columns of A add up to one."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.root_d = math.sqrt(hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        Q = self.Wq(x).transpose(1, 2)          # (batch, hidden_dim, length)
        K = self.Wk(x).transpose(1, 2)
        V = self.Wv(x).transpose(1, 2)
        S = torch.bmm(K.transpose(1, 2), Q) / self.root_d
        if attention_mask is not None:
            S = S.masked_fill(attention_mask == 0, float("-inf"))
        A = self.dropout(torch.softmax(S, dim=1))
        return torch.bmm(V, A).transpose(1, 2)
