from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def with_sink(self, scores: Tensor) -> Tensor:
        b, h, n, _ = scores.shape
        sink = self.sinks.view(1, h, 1, 1).expand(b, h, n, 1)
        return torch.cat([sink, scores], dim=-1)

    def weights(self, scores: Tensor) -> Tensor:
        row = self.with_sink(scores).softmax(dim=-1)
        return row[..., :-1]

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = self.qkv_proj(x).view(b, n, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(torch.ones(n, n, device=x.device).tril() == 0, float("-inf"))
        context = self.weights(scores) @ v
        return self.out_proj(context.transpose(1, 2).reshape(b, n, c))
