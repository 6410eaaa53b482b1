import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class LayerCache:
    keys: Tensor
    values: Tensor

    @property
    def size(self) -> int:
        return self.keys.size(2)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, base: float):
        super().__init__()
        self.dim, self.base = dim, float(base)

    def forward(self, x: Tensor, first: int) -> Tensor:
        exponent = torch.arange(0, self.dim, 2, device=x.device, dtype=torch.float32) / self.dim
        positions = torch.arange(first, first + x.size(2), device=x.device, dtype=torch.float32)
        angles = torch.outer(positions.double(), self.base ** -exponent.double())
        cos = torch.cat([angles.cos(), angles.cos()], dim=-1).to(x.dtype)
        sin = torch.cat([angles.sin(), angles.sin()], dim=-1).to(x.dtype)
        return x * cos + self.rotate_half(x) * sin

    @staticmethod
    def rotate_half(x: Tensor) -> Tensor:
        half = x.size(-1) // 2
        return torch.cat([-x[..., half:], x[..., :half]], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary = RotaryEmbedding(self.head_dim, base)

    def shape(self, t: Tensor, heads: int) -> Tensor:
        return t.view(t.size(0), t.size(1), heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, cache: LayerCache | None = None):
        batch, length, width = x.shape
        offset = cache.size if cache is not None else 0
        query = self.rotary(self.shape(self.q_proj(x), self.num_heads), offset)
        key = self.rotary(self.shape(self.k_proj(x), self.num_kv_heads), offset)
        value = self.shape(self.v_proj(x), self.num_kv_heads)
        if cache is not None:
            key = torch.cat([cache.keys, key], dim=2)
            value = torch.cat([cache.values, value], dim=2)
        new_cache = LayerCache(key, value)

        repeats = self.num_heads // self.num_kv_heads
        key, value = key.repeat_interleave(repeats, dim=1), value.repeat_interleave(repeats, dim=1)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        visible = torch.ones_like(scores[0, 0], dtype=torch.bool).tril(diagonal=offset)
        scores = scores.masked_fill(~visible, float("-inf"))
        context = scores.softmax(dim=-1) @ value
        return self.o_proj(context.transpose(1, 2).reshape(batch, length, width)), new_cache
