# wrong: gqa-rope rope-not-on-keys line 35
# fair: rope-not-on-keys 38
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def rotary(x: Tensor, start: int, base: float) -> Tensor:
    half = x.shape[-1] // 2
    freq = base ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
    angle = torch.arange(start, start + x.shape[-2], device=x.device)[:, None] * freq
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.to_v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        batch, length, _ = x.shape
        start = 0 if cache is None else cache[0].shape[-2]
        queries = self.to_q(x).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        queries = rotary(queries, start, self.base)
        keys = self.to_k(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        values = self.to_v(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        if cache is not None:
            keys = torch.cat((cache[0], keys), dim=-2)
            values = torch.cat((cache[1], values), dim=-2)
        cache = (keys, values)
        group = self.num_heads // self.num_kv_heads
        grouped = queries.view(batch, self.num_kv_heads, group, length, self.head_dim)
        scores = grouped @ keys.unsqueeze(2).mT / math.sqrt(self.head_dim)
        index = torch.arange(start + length, device=x.device)
        scores = scores.masked_fill(index > index[start:, None], float("-inf"))
        context = (scores.softmax(-1) @ values.unsqueeze(2)).flatten(1, 2)
        return self.to_out(context.transpose(1, 2).flatten(2)), cache
