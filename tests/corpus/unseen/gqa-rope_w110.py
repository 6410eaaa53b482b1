from functools import lru_cache
import math

import torch
import torch.nn.functional as F
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.base = base
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd, bias=False)
        self.wo = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)

    def angles(self, offset, count, like):
        exponents = torch.arange(0, self.hd, 2, device=like.device).double() / self.hd
        inv_freq = 1.0 / (self.base**exponents)
        t = torch.arange(offset, offset + count, device=like.device).to(like.dtype)
        return torch.outer(t, inv_freq.to(like.dtype))

    def rotate(self, u, angles):
        c, s = angles.cos().to(u.dtype), angles.sin().to(u.dtype)
        first, second = u.tensor_split(2, dim=-1)
        return torch.cat([first * c - second * s, second * c + first * s], dim=-1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        qkv = self.wqkv(x).view(B, T, -1, self.hd).transpose(1, 2)
        q, k, v = qkv.split([self.nh, self.nkv, self.nkv], dim=1)
        offset = cache[0].shape[2] if cache else 0
        ang = self.angles(offset, T, x)
        q, k = self.rotate(q, ang), self.rotate(k, ang)
        if cache:
            k, v = (torch.cat(pair, dim=2) for pair in zip(cache, (k, v)))
        out_cache = (k, v)
        k, v = (u.repeat_interleave(self.nh // self.nkv, 1) for u in (k, v))
        att = q @ k.mT / math.sqrt(self.hd)
        att = att + torch.full((T, offset + T), float("-inf"), dtype=att.dtype, device=x.device).triu(offset + 1)
        y = (F.softmax(att, -1) @ v).transpose(1, 2).flatten(2)
        return self.wo(y), out_cache
