from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj, self.k_proj, self.v_proj = [nn.Linear(hidden_dim, hidden_dim)] * 3
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.q_proj(x)  # (B, L, D)
        k = self.k_proj(x)  # (B, L, D)
        v = self.v_proj(x)  # (B, L, D)

        scores = q @ k.transpose(-1, -2) / math.sqrt(self.hidden_dim)  # (B, L, L)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))

        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        return weights @ v
