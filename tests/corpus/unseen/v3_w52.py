from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        keep_prob = 1.0 - dropout
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(keep_prob)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.scale = 1 / math.sqrt(hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        scores = torch.matmul(self.query(x), self.key(x).transpose(-1, -2)) * self.scale
        if attention_mask is not None:
            # 1 = may attend
            scores = scores.masked_fill(attention_mask.logical_not(), float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return self.output(torch.matmul(weights, self.value(x)))
