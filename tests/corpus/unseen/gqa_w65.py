from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        size, group = hidden_dim // num_heads, num_heads // num_kv_heads
        kv_width = num_kv_heads * size

        self.proj = nn.ModuleDict(
            {
                "query": nn.Sequential(
                    nn.Linear(hidden_dim, hidden_dim), nn.Unflatten(-1, (num_kv_heads, group, size))
                ),
                "key": nn.Sequential(
                    nn.Linear(hidden_dim, kv_width), nn.Unflatten(-1, (num_kv_heads, 1, size))
                ),
                "value": nn.Sequential(
                    nn.Linear(hidden_dim, kv_width), nn.Unflatten(-1, (num_kv_heads, 1, size))
                ),
            }
        )
        self.post = nn.Sequential(nn.Flatten(2), nn.Linear(hidden_dim, hidden_dim))

        # what a mask with so many heads has to look like in front of (b, kv, group, t, t)
        self.lift: dict[bool, Callable[[Tensor], Tensor]] = {
            True: lambda m: m.unsqueeze(2),
            False: lambda m: m.unflatten(1, (group, num_kv_heads)).transpose(1, 2),
        }
        self.temper = lambda s: s / size**0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        front = lambda t: t.permute(0, 2, 3, 1, 4)
        q, k, v = (front(layer(x)) for layer in self.proj.values())
        scores = self.temper(q @ k.mT)
        if attention_mask is not None:
            seen = self.lift[attention_mask.size(1) == 1](attention_mask)
            scores = scores.masked_fill(seen == 0, float("-inf"))
        mixed = scores.softmax(dim=-1) @ v
        return self.post(mixed.permute(0, 3, 1, 2, 4))
