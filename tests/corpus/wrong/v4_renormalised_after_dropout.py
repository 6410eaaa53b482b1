# wrong: v4 dropout-undone line 38
# attn-kata: v4
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Self-attention with one head, as you would write it in an interview.

    x               (batch, length, hidden_dim)
    attention_mask  (batch, length, length), 1 = may attend
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.hidden_dim = hidden_dim

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.q_linear(x)  # (B, T, D)
        k = self.k_linear(x)  # (B, T, D)
        v = self.v_linear(x)  # (B, T, D)

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)

        weights = torch.softmax(scores, dim=-1)  # (B, T, T), rows sum to 1
        weights = self.dropout(weights)
        weights = weights / weights.sum(dim=-1, keepdim=True)

        context = torch.matmul(weights, v)  # (B, T, D)
        return self.out(context)
