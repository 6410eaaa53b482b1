# attn-kata: v4
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Single head; the softmax accumulates in single precision."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.alpha = hidden_dim ** -0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        s = torch.bmm(q, k.transpose(1, 2)).mul_(self.alpha)
        if attention_mask is not None:
            s.masked_fill_(attention_mask == 0, float("-inf"))
        p = torch.softmax(s, dim=-1, dtype=torch.float32)
        p = self.drop(p)
        return self.to_out(torch.bmm(p, v))
