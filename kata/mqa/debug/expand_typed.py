from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn


def scaled_scores(query: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("bhid,bhjd->bhij", query, key) * query.size(-1) ** -0.5


def hide(scores: Tensor, mask: Optional[Tensor]) -> Tensor:
    if mask is None:
        return scores
    return scores.masked_fill(mask.to(torch.bool).logical_not(), torch.finfo(scores.dtype).min)


class MultiQuerySelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        depth = hidden_dim // num_heads
        self.query_projection = nn.Linear(hidden_dim, num_heads * depth)
        self.key_projection = nn.Linear(hidden_dim, depth)
        self.value_projection = nn.Linear(hidden_dim, depth)
        self.output_projection = nn.Linear(num_heads * depth, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        batch, length, width = x.shape
        query = self.query_projection(x).view(batch, length, self.num_heads, -1).transpose(1, 2)
        key, value = (
            layer(x).unsqueeze(1).expand(-1, self.num_heads, -1, -1)
            for layer in (self.key_projection, self.value_projection)
        )
        weights = self.dropout(hide(scaled_scores(query, key), attention_mask).softmax(dim=-1))
        context = torch.einsum("bhij,bhjd->bihd", weights, value)
        return self.output_projection(context.reshape(batch, length, width))
