# right: gqa-rope
# The cache holds keys as they were projected; all of them are turned in every call.
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def rope(x: Tensor, positions: Tensor, base: float) -> Tensor:
    half = x.shape[-1] // 2
    exponent = torch.arange(half, device=x.device, dtype=torch.float32) / half
    angle = positions.float()[:, None] / base**exponent
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000.0) -> None:
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, x: Tensor, number: int) -> Tensor:
        return x.view(x.shape[0], x.shape[1], number, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        new = torch.stack([self.heads(self.key(x), self.num_kv_heads), self.heads(self.value(x), self.num_kv_heads)])
        both = new if cache is None else torch.cat([cache, new], dim=3)
        total, length = both.shape[3], x.shape[1]
        everything = torch.arange(total, device=x.device)
        query = rope(self.heads(self.query(x), self.num_heads), everything[total - length :], self.base)
        key = rope(both[0], everything, self.base).repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)
        value = both[1].repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)
        scores = query @ key.mT / math.sqrt(self.head_dim)
        visible = everything <= everything[total - length :, None]
        weights = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(dim=-1)
        return self.out((weights @ value).transpose(1, 2).reshape(x.shape)), both
