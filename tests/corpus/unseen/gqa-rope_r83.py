import math
from typing import NamedTuple

import torch
from torch import nn


class KV(NamedTuple):
    """of all positions so far; the keys as they were before rotation"""

    key: torch.Tensor
    value: torch.Tensor

    def grown(self, key, value):
        return KV(torch.cat((self.key, key), 1), torch.cat((self.value, value), 1))


def rotated(x, start, base):
    """x (batch, length, ..., head_dim), positions from `start` on; complex numbers in double precision"""
    a, b = x.double().chunk(2, -1)
    half = a.shape[-1]
    p = torch.arange(start, start + x.shape[1], device=x.device, dtype=torch.float64)
    rate = torch.exp(torch.arange(half, device=x.device, dtype=torch.float64) / half * -math.log(base))
    turn = torch.exp(1j * torch.outer(p, rate))
    z = torch.complex(a, b) * turn.view(1, len(p), *[1] * (x.dim() - 3), half)
    return torch.cat((z.real, z.imag), -1).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.groups, self.per_group, self.d = num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        self.base = float(base)
        # Megatron's order: of each group its queries, its key, its value
        self.qkv = nn.Linear(hidden_dim, num_kv_heads * (self.per_group + 2) * self.d, bias=False)
        self.dense = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        mixed = self.qkv(x).view(b, t, self.groups, self.per_group + 2, self.d)
        q, k, v = mixed.split([self.per_group, 1, 1], dim=3)
        new = KV(k.squeeze(3), v.squeeze(3))
        cache = new if cache is None else cache.grown(*new)
        n = cache.key.shape[1]
        q = rotated(q, n - t, self.base)
        k = rotated(cache.key, 0, self.base)
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) / math.sqrt(self.d)
        future = torch.ones(t, n, dtype=torch.bool, device=x.device).triu(n - t + 1)
        w = s.masked_fill(future, -math.inf).softmax(-1)
        y = torch.einsum("bgrts,bsgd->btgrd", w, cache.value)
        return self.dense(y.flatten(2)), cache
