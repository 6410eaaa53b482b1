from __future__ import annotations

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Softmax over the keys alone, then each row shrinks: by sigmoid(logsumexp - sink)."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / (c // self.num_heads) ** 0.5
        scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        kept = torch.sigmoid(scores.logsumexp(-1, keepdim=True) - self.sinks.view(-1, 1, 1))
        context = (scores.softmax(-1) @ v) * kept
        return self.out(context.transpose(1, 2).reshape(b, t, c))
