from __future__ import annotations

import torch
from torch import Tensor, nn


class Head(nn.Module):
    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.matrix = nn.Parameter(torch.randn(width, dim) / width**0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.matrix


class GroupedQueryAttention(nn.Module):
    """One small matrix per head; kv head of query head h is h // group."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        dim = hidden_dim // num_heads
        self.group = num_heads // num_kv_heads
        self.root = dim**0.5
        self.queries = nn.ModuleList([Head(hidden_dim, dim) for _ in range(num_heads)])
        self.keys = nn.ModuleList([Head(hidden_dim, dim) for _ in range(num_kv_heads)])
        self.values = nn.ModuleList([Head(hidden_dim, dim) for _ in range(num_kv_heads)])
        self.join = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        kv = [(k(x), v(x)) for k, v in zip(self.keys, self.values)]
        outs = []
        for h, head in enumerate(self.queries):
            k, v = kv[h // self.group]
            score = head(x) @ k.transpose(1, 2) / self.root
            if attention_mask is not None:
                m = attention_mask[:, h if attention_mask.size(1) > 1 else 0]
                score = score.masked_fill(m.bool().logical_not(), torch.finfo(score.dtype).min)
            outs.append(score.softmax(-1) @ v)
        return self.join(torch.cat(outs, -1))
