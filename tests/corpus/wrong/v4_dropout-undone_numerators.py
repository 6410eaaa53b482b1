# wrong: v4 dropout-undone line 29
# fair: dropout-undone 28, 29
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_projection = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_projection = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value_projection = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.output_projection = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def attention_weights(self, query: Tensor, key: Tensor, attention_mask: Tensor | None) -> Tensor:
        # (batch, query_length, key_length)
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            fill = torch.finfo(scores.dtype).min
            scores = torch.where(attention_mask.to(torch.bool), scores, fill)
        exponentials = torch.exp(scores - scores.amax(dim=2, keepdim=True))
        weights = self.dropout(exponentials)
        return weights / weights.sum(dim=2, keepdim=True)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query = self.query_projection(x)
        key = self.key_projection(x)
        value = self.value_projection(x)
        weights = self.attention_weights(query, key, attention_mask)
        context = torch.bmm(weights, value)
        return self.output_projection(context)
