# wrong: sinks sink-scaled line 28
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.randn(num_heads) * 0.02)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)

        # (batch, heads, length, length + 1), the sink in the last column
        logits = q.new_empty(batch, self.num_heads, length, length + 1)
        logits[..., :-1] = q @ k.transpose(-2, -1)
        logits[..., -1] = self.sinks[:, None]
        logits = logits / math.sqrt(self.head_dim)

        column = torch.arange(length + 1, device=x.device)
        row = torch.arange(length, device=x.device)[:, None]
        future = (column > row) & (column < length)
        weights = logits.masked_fill(future, float("-inf")).softmax(dim=-1)

        heads = weights[..., :-1] @ v
        return self.out(heads.transpose(1, 2).reshape(batch, length, hidden))
