# wrong: sinks causal-excludes-self line 36
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Causal self-attention; column 0 of the softmax belongs to the sink."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def split(self, t: Tensor) -> Tensor:
        batch, length, _ = t.shape
        return t.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))

        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.head_dim)
        sinks = self.sinks.reshape(1, self.num_heads, 1, 1).expand(batch, -1, length, -1)
        scores = torch.cat([sinks, scores], dim=-1)

        mask = torch.ones(length, length + 1, dtype=torch.bool, device=x.device)
        mask = torch.triu(mask, diagonal=1)
        probs = torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)
        weights = probs[..., 1:]

        out = torch.matmul(weights, v)
        out = out.transpose(1, 2).contiguous().view(batch, length, hidden_dim)
        return self.proj(out)
