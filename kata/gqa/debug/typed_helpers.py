from __future__ import annotations

import math
from typing import Optional

import torch
from torch import Tensor, nn


class Projection(nn.Module):
    """Linear layer that also splits its features into heads."""

    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.heads = heads
        self.depth = depth
        self.linear = nn.Linear(width, heads * depth)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return self.linear(x).view(batch, length, self.heads, self.depth).permute(0, 2, 1, 3)


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor]) -> Tensor:
    scores = torch.matmul(query, key.transpose(-2, -1)).div(math.sqrt(query.size(-1)))
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(
            mask == 0, -1e4 if scores.dtype == torch.float16 else -1e9
        )
    return torch.matmul(scores.softmax(dim=-1), value)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        depth = hidden_dim // num_heads
        self.repeats = num_heads // num_kv_heads
        self.to_query = Projection(hidden_dim, num_heads, depth)
        self.to_key = Projection(hidden_dim, num_kv_heads, depth)
        self.to_value = Projection(hidden_dim, num_kv_heads, depth)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        query, key, value = self.to_query(x), self.to_key(x), self.to_value(x)
        key = torch.stack([key] * self.repeats, dim=2).flatten(1, 2)
        value = torch.stack([value] * self.repeats, dim=2).flatten(1, 2)
        context = attend(query, key, value, attention_mask)
        return self.to_out(context.permute(0, 2, 1, 3).reshape(x.shape))
