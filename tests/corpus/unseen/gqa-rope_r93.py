import math
from functools import lru_cache

import torch
import torch.nn as nn


@lru_cache(maxsize=8)
def rotation_rows(start, stop, dim, base):
    """cos and signed sin, (stop - start, dim) each, float64, on the cpu"""
    freq = [base ** (-2.0 * i / dim) for i in range(dim // 2)]
    angle = torch.tensor([[p * f for f in freq] for p in range(start, stop)], dtype=torch.float64)
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([cos, cos], 1), torch.cat([-sin, sin], 1)


def rotate(x, start, base):
    *_, n, d = x.shape
    cos, sin = (t.to(device=x.device, dtype=x.dtype) for t in rotation_rows(start, start + n, d, float(base)))
    return x * cos + x.roll(d // 2, dims=-1) * sin


class GroupedQueryAttentionWithRope(nn.Module):
    """cache: one (keys, values) pair for each kv head, keys rotated already"""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.D, self.G, self.R, self.base = hidden_dim // num_heads, num_kv_heads, num_heads // num_kv_heads, base
        # group after group: its queries, its key, its value
        self.qkv = nn.Linear(hidden_dim, self.G * (self.R + 2) * self.D)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache[0][0].shape[1]
        T = x.shape[1]
        seen = None
        if T > 1:  # a single newest token sees everything
            seen = torch.ones(T, past + T, dtype=torch.bool, device=x.device).tril(past)
        new, outs = [], []
        for g, part in enumerate(self.qkv(x).chunk(self.G, dim=-1)):
            rows = part.unflatten(-1, (self.R + 2, self.D)).transpose(1, 2)
            q, k, v = rotate(rows[:, : self.R], past, self.base), rotate(rows[:, self.R], past, self.base), rows[:, self.R + 1]
            if cache is not None:
                k, v = torch.cat([cache[g][0], k], 1), torch.cat([cache[g][1], v], 1)
            new.append((k, v))
            s = torch.einsum("brtd,bsd->brts", q, k) / math.sqrt(self.D)
            if seen is not None:
                s = s.masked_fill(~seen, -math.inf)
            outs.append(torch.einsum("brts,bsd->btrd", s.softmax(-1), v).flatten(2))
        return self.proj(torch.cat(outs, -1)), tuple(new)
