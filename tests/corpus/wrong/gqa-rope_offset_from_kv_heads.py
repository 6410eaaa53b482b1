# wrong: gqa-rope rope-positions-shifted line 42
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = float(base)
        self.in_proj = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.head_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _rotate(self, x: Tensor, offset: int) -> Tensor:
        length, half = x.shape[2], self.head_dim // 2
        position = torch.arange(length, device=x.device, dtype=torch.float32) + offset
        speed = torch.exp(torch.arange(half, device=x.device) * (-math.log(self.base) / half))
        angle = position[:, None] * speed
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        first, second = x.chunk(2, dim=-1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, width = x.shape
        heads = self.in_proj(x).view(batch, length, -1, self.head_dim).transpose(1, 2)
        query, key, value = heads.split([self.num_heads, self.num_kv_heads, self.num_kv_heads], dim=1)

        # what is cached: keys before rotation, and values
        if cache is not None:
            key = torch.cat((cache["key"], key), dim=2)
            value = torch.cat((cache["value"], value), dim=2)
        total = key.shape[2]
        past = 0 if cache is None else cache["key"].shape[1]
        query, rotated = self._rotate(query, past), self._rotate(key, 0)

        query = query.unflatten(1, (self.num_kv_heads, -1))
        scores = query @ rotated.unsqueeze(2).mT / math.sqrt(self.head_dim)
        visible = torch.ones(length, total, dtype=torch.bool, device=x.device).tril(total - length)
        weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
        context = (weights @ value.unsqueeze(2)).flatten(1, 2)
        output = self.out_proj(context.transpose(1, 2).reshape(batch, length, width))
        return output, {"key": key, "value": value}
