from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def apply_rope(x: Tensor, pos: Tensor, base: float) -> Tensor:
    """x: (b, h, t, d), 前一半和后一半配对"""
    d = x.size(-1)
    inv = base ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    ang = pos.float()[:, None] * inv
    cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, c = x.shape
        q = self.wq(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)

        # 先拼接缓存
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)
        total = k.size(2)
        pos = torch.arange(total, device=x.device)

        # 旋转 q 和 k
        q = apply_rope(q, pos[total - t:], self.base)
        k = apply_rope(k, pos, self.base)
        new_cache = {"k": k, "v": v}

        rep = self.num_heads // self.num_kv_heads
        k = torch.repeat_interleave(k, rep, dim=1)
        v = torch.repeat_interleave(v, rep, dim=1)
        att = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        att = att.masked_fill(pos[None, :] > pos[total - t:, None], float("-inf"))
        y = torch.softmax(att, dim=-1) @ v
        return self.wo(y.transpose(1, 2).reshape(b, t, c)), new_cache
