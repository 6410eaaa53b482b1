from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """One fused projection; the query heads stand in the rows of one tall matrix."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        # value | key | query
        self.proj_in = nn.Linear(hidden_dim, 2 * self.head_dim + hidden_dim)
        self.proj_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        d, h = self.head_dim, self.num_heads
        value, key, query = torch.tensor_split(self.proj_in(x), (d, 2 * d), dim=-1)
        tall = query.reshape(batch, length * h, d)  # row = position * heads + head
        scores = torch.bmm(tall, key.mT).mul(d**-0.5).view(batch, length, h, length)
        if attention_mask is not None:
            by_position = attention_mask.transpose(1, 2).ne(0)
            scores = scores.masked_fill(by_position.logical_not(), torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=3).view(batch, length * h, length)
        return self.proj_out(torch.bmm(weights, value).view(batch, length, h * d))
