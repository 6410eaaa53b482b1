# attn-kata: mqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, self.head_dim)
        self.value = nn.Linear(hidden_dim, self.head_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def _head(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        scores = query @ key.transpose(1, 2) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        return scores.softmax(dim=-1) @ value

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        key, value = self.key(x), self.value(x)
        queries = self.query(x).split(self.head_dim, dim=-1)
        heads = []
        for index, query in enumerate(queries):
            mask = None
            if attention_mask is not None:
                mask = attention_mask[:, index if attention_mask.size(1) > 1 else 0]
            heads.append(self._head(query, key, value, mask))
        merged = torch.stack(heads, dim=-1).flatten(-2)
        return self.output(merged)
