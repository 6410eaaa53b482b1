# attn-kata: v3
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """Column-vector convention: everything is [batch, feature, position], as in my
    lecture notes; a column of the attention matrix adds up to one."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.temperature = hidden_dim**0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.to_q(x).mT                       # [B, D, N]
        k = self.to_k(x).mT                       # [B, D, N]
        v = self.to_v(x).mT                       # [B, D, N]

        s = k.mT @ q / self.temperature           # [B, N, N]
        if attention_mask is not None:
            blocked = attention_mask == 0
            s = s.masked_fill(blocked, torch.finfo(s.dtype).min)
        a = self.dropout(s.softmax(dim=1))        # columns add up to one
        o = v @ a                                 # [B, D, N]
        return self.to_out(o.mT)
