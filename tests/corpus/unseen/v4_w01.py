# attn-kata: v4
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.scaling = hidden_dim ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query = self.q_proj(x) * self.scaling
        key = self.k_proj(x)
        value = self.v_proj(x)

        attn_weights = torch.matmul(query, key.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            attn_weights = attn_weights.masked_fill(attention_mask == 0, float("-inf"))
        attn_probs = self.attn_drop(torch.softmax(attn_weights, dim=-1))
        return torch.matmul(attn_probs, value)
