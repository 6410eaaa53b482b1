from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    # Raw parameters. The share that the sink leaves to the keys is a sigmoid of (lse - sink):
    #     softmax([s | sink])[:-1] = softmax(s) * sigmoid(logsumexp(s) - sink)
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads, self.width = num_heads, hidden_dim // num_heads
        std = hidden_dim ** -0.5
        shape = (num_heads, hidden_dim, self.width)
        self.to_query = nn.Parameter(torch.randn(shape) * std)
        self.to_key = nn.Parameter(torch.randn(shape) * std)
        self.to_value = nn.Parameter(torch.randn(shape) * std)
        self.from_heads = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * std)
        self.sink = nn.Parameter(torch.zeros(num_heads, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        x_ = x.unsqueeze(1)
        query, key, value = x_ @ self.to_query, x_ @ self.to_key, x_ @ self.to_value
        scores = query @ key.mT / math.sqrt(self.width)
        past = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        scores = scores.masked_fill(past.logical_not(), -math.inf)
        kept = torch.sigmoid(scores.logsumexp(-1, keepdim=True) - self.sink)
        context = kept * (scores.softmax(-1) @ value)
        return torch.cat(context.unbind(1), dim=-1) @ self.from_heads
