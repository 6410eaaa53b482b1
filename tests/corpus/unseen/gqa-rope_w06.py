from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    k: Tensor
    v: Tensor


def rotary(t: Tensor, first: int, base: float) -> Tensor:
    """t is (batch, heads, length, dim); `first` is the position of t[:, :, 0]."""
    dim, half, device = t.size(-1), t.size(-1) // 2, t.device
    wide = torch.promote_types(t.dtype, torch.float32)
    exponents = torch.arange(half, device=device, dtype=wide) / dim
    theta = torch.exp(exponents * -math.log(base))
    positions = torch.arange(first, first + t.size(2), device=device, dtype=wide)
    phi = positions.unsqueeze(1) * theta
    lo, hi = t[..., :half].to(wide), t[..., half:].to(wide)
    return torch.cat((lo * phi.cos() - hi * phi.sin(), hi * phi.cos() + lo * phi.sin()), -1).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.dim, self.base = hidden_dim // num_heads, base
        self.counts = (num_heads, num_kv_heads, num_kv_heads)
        self.qkv = nn.Linear(hidden_dim, sum(self.counts) * self.dim, bias=True)
        self.out = nn.Linear(num_heads * self.dim, hidden_dim, bias=True)

    def forward(self, x: Tensor, cache: KV | None = None) -> tuple[Tensor, KV]:
        parts = self.qkv(x).unflatten(-1, (-1, self.dim)).transpose(1, 2)
        q, k, v = parts.split(self.counts, dim=1)
        first = 0 if cache is None else cache.k.size(2)
        q, k = rotary(q, first, self.base), rotary(k, first, self.base)
        if cache is not None:
            k, v = torch.cat((cache.k, k), 2), torch.cat((cache.v, v), 2)
        b, _, length, dim = q.shape
        q = q.reshape(b, k.size(1), -1, length, dim)
        s = q @ k.unsqueeze(2).mT * dim**-0.5
        see = torch.arange(k.size(2), device=x.device) <= torch.arange(first, first + length, device=x.device)[:, None]
        p = s.masked_fill(~see, -math.inf).softmax(-1)
        y = (p @ v.unsqueeze(2)).flatten(1, 2)
        return self.out(y.transpose(1, 2).flatten(2)), KV(k, v)
