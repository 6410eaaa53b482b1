# wrong: gqa kv-heads-tiled line 31
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group_size = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.queries = nn.ModuleList([nn.Linear(hidden_dim, self.head_dim) for _ in range(num_heads)])
        self.keys = nn.ModuleList([nn.Linear(hidden_dim, self.head_dim) for _ in range(num_kv_heads)])
        self.values = nn.ModuleList([nn.Linear(hidden_dim, self.head_dim) for _ in range(num_kv_heads)])
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # every key and value head is computed once and read several times
        keys = [layer(x) for layer in self.keys]
        values = [layer(x) for layer in self.values]

        head_outputs = []
        for h, query_layer in enumerate(self.queries):
            query = query_layer(x)
            key = keys[h // self.group_size]
            value = values[h % self.num_kv_heads]
            scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(self.head_dim)
            if attention_mask is not None:
                # one plane of the mask for this head, or the one that all heads share
                plane = attention_mask[:, h if attention_mask.shape[1] > 1 else 0]
                scores = scores.masked_fill(plane == 0, float("-inf"))
            head_outputs.append(torch.bmm(scores.softmax(dim=-1), value))

        return self.output(torch.cat(head_outputs, dim=-1))
