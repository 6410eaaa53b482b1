from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(p=dropout)
        self.scale = 1.0 / hidden_dim ** 0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = torch.chunk(self.qkv(x), 3, dim=-1)
        scores = torch.einsum("bqd,bkd->bqk", q, k) * self.scale
        if attention_mask is not None:
            min_value = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(attention_mask != 0, min_value)
        p = self.attn_drop(F.softmax(scores, dim=-1))
        return self.wo(torch.einsum("bqk,bkd->bqd", p, v))
