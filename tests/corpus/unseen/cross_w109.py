from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        batch_size, seq_len, hidden_dim = query.shape

        def to_heads(t: Tensor) -> Tensor:
            t = t.view(batch_size, seq_len, self.num_heads, self.head_dim)
            return t.permute(0, 2, 1, 3)

        q = to_heads(self.query_proj(query))
        k = to_heads(self.key_proj(key))
        v = to_heads(self.value_proj(value))

        scores = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        weights = self.attn_dropout(torch.softmax(scores, dim=-1))
        context = torch.matmul(weights, v).permute(0, 2, 1, 3)
        return self.out_proj(context.reshape(batch_size, seq_len, hidden_dim))
