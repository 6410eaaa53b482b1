# wrong: sinks gradient-nan line 33
# fair: gradient-nan 31, 33
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.randn(num_heads, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        query, key, value = (
            proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for proj in (self.query_proj, self.key_proj, self.value_proj)
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        ahead = torch.ones(length, length, device=x.device).triu(1) == 1
        scores = scores.masked_fill(ahead, float("-inf"))
        # softmax with one more term below the line
        largest = scores.amax(dim=-1, keepdim=True)
        powers = torch.exp(scores - largest)
        denominator = powers.sum(dim=-1, keepdim=True) + torch.exp(self.sinks - largest)
        context = (powers / denominator) @ value
        return self.output_proj(context.transpose(1, 2).flatten(2))
