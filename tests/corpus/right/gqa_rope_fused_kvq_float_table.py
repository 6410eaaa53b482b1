# right: gqa-rope
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def rotate_half(x: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.nq, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        assert self.hd % 2 == 0 and num_heads % num_kv_heads == 0
        self.kvq_proj = nn.Linear(hidden_dim, (2 * num_kv_heads + num_heads) * self.hd, bias=False)
        self.o_proj = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)
        inv_freq = 1.0 / base ** (torch.arange(0, self.hd, 2).float() / self.hd)
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        B, T, _ = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        h = self.kvq_proj(x).view(B, T, -1, self.hd).transpose(1, 2)
        k, v, q = h.split([self.nkv, self.nkv, self.nq], dim=1)
        pos = torch.arange(past, past + T, device=x.device).to(self.inv_freq.dtype)
        ang = torch.outer(pos, self.inv_freq)
        ang = torch.cat([ang, ang], dim=-1)
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        new = (k, v)
        k = k.repeat_interleave(self.nq // self.nkv, dim=1)
        v = v.repeat_interleave(self.nq // self.nkv, dim=1)
        s = q @ k.transpose(-1, -2) / math.sqrt(self.hd)
        mask = torch.ones(T, past + T, dtype=torch.bool, device=x.device).tril(past)
        s = s.masked_fill(~mask, float("-inf"))
        y = (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1)
        return self.o_proj(y), new
