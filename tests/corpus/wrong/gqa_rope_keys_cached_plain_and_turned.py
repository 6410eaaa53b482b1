# wrong: gqa-rope rope-positions-restart line 26
import math
from typing import NamedTuple, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class KV(NamedTuple):
    k: torch.Tensor
    v: torch.Tensor


class Rope:
    def __init__(self, dim, base):
        self.dim, self.base = dim, base

    def tables(self, n, like):
        theta = 1.0 / self.base ** (torch.arange(0, self.dim, 2, device=like.device).double() / self.dim)
        angles = torch.outer(torch.arange(n, device=like.device).double(), theta)
        return angles.cos().to(like), angles.sin().to(like)

    def __call__(self, t, cos, sin):
        n = t.size(-2)
        cos, sin = cos[:n], sin[:n]
        a, b = t.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.nh, self.nkv, self.hd = num_heads, num_kv_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd, bias=False)
        self.out = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)
        self.rope = Rope(self.hd, base)

    def forward(self, x: torch.Tensor, cache: Optional[KV] = None):
        B, T, _ = x.shape
        heads = self.qkv(x).view(B, T, -1, self.hd).transpose(1, 2)
        q, k, v = heads.split([self.nh, self.nkv, self.nkv], dim=1)
        if cache is not None:
            k = torch.cat([cache.k, k], dim=-2)
            v = torch.cat([cache.v, v], dim=-2)
        cache = KV(k, v)
        S = k.size(-2)
        cos, sin = self.rope.tables(S, x)
        q, k = self.rope(q, cos, sin), self.rope(k, cos, sin)
        k = k.repeat_interleave(self.nh // self.nkv, 1)
        v = v.repeat_interleave(self.nh // self.nkv, 1)
        att = q @ k.mT / math.sqrt(self.hd)
        seen = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        att = F.softmax(att.masked_fill(~seen, float("-inf")), dim=-1)
        return self.out((att @ v).transpose(1, 2).flatten(2)), cache
