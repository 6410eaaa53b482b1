# attn-kata: v4
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """面试版自注意力: 单头, 三个独立投影, 掩码 + dropout"""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # x: (B, T, D)
        query = self.query_proj(x)
        key = self.key_proj(x)
        value = self.value_proj(x)

        # (B, T, D) @ (B, D, T) -> (B, T, T)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.hidden_dim)

        if attention_mask is not None:
            pad = (~attention_mask).bool()
            scores = scores.masked_fill(pad, torch.finfo(scores.dtype).min)

        weights = self.attn_dropout(torch.softmax(scores, dim=-1))
        context = weights @ value                                # (B, T, D)
        return self.out_proj(context)
