# attn-kata: gqa-rope
# Cache: unrotated keys, (batch, kv_heads, time, head_dim); all keys are rotated at read time.
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def _tables(first: int, count: int, head_dim: int, base: float, like: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(like.dtype, torch.float32)
    i = torch.arange(head_dim // 2, dtype=wide, device=like.device)
    freq = torch.pow(torch.tensor(float(base), dtype=wide, device=like.device), -2.0 * i / head_dim)
    pos = torch.arange(first, first + count, dtype=wide, device=like.device)
    angle = torch.outer(pos, freq)
    return angle.cos(), angle.sin()


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.size(-1) // 2
    a, b = x[..., :half].to(cos.dtype), x[..., half:].to(cos.dtype)
    out = torch.empty(x.shape, dtype=cos.dtype, device=x.device)
    out[..., :half] = a * cos - b * sin
    out[..., half:] = b * cos + a * sin
    return out.to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.h, self.kv, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        assert self.d % 2 == 0
        self.base = base
        self.sizes = [self.h * self.d, self.kv * self.d, self.kv * self.d]
        self.qkv = nn.Linear(hidden_dim, sum(self.sizes), bias=False)
        self.out = nn.Linear(self.h * self.d, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        q, k, v = self.qkv(x).split(self.sizes, dim=-1)
        q = q.view(b, t, self.h, self.d).transpose(1, 2)
        k = k.view(b, t, self.kv, self.d).transpose(1, 2)
        v = v.view(b, t, self.kv, self.d).transpose(1, 2)
        past = 0
        if cache is not None:
            past = cache["k"].size(2)
            k = torch.cat((cache["k"], k), dim=2)
            v = torch.cat((cache["v"], v), dim=2)
        new_cache = {"k": k, "v": v}

        total = past + t
        cos, sin = _tables(0, total, self.d, self.base, x)
        q = _rotate(q, cos[past:], sin[past:])
        k = _rotate(k, cos, sin)

        group = self.h // self.kv
        q = q.reshape(b, self.kv, group * t, self.d)
        s = (q @ k.transpose(-1, -2)).view(b, self.kv, group, t, total) * self.d**-0.5
        ahead = torch.ones(t, total, dtype=torch.bool, device=x.device).triu(past + 1)
        p = s.masked_fill(ahead, float("-inf")).softmax(dim=-1)
        y = p.view(b, self.kv, group * t, total) @ v
        y = y.view(b, self.h, t, self.d).transpose(1, 2).reshape(b, t, -1)
        return self.out(y), new_cache
