# attn-kata: gqa-rope
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.out_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def rotate(self, t: Tensor, first: int) -> Tensor:
        half = self.head_dim // 2
        pos = torch.arange(first, first + t.size(2), device=t.device, dtype=torch.float32)
        freq = self.base ** (-torch.arange(half, device=t.device, dtype=torch.float32) / half)
        angle = pos[:, None] * freq
        cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, _ = x.shape
        q = self.q_proj(x).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        past = 0
        if cache is not None:
            past = cache["k"].size(2)
            k = torch.cat((cache["k"], k), dim=2)
            v = torch.cat((cache["v"], v), dim=2)
        q = self.rotate(q, past)
        k = self.rotate(k, 0)
        new_cache = {"k": k, "v": v}

        total = past + length
        repeat = self.num_heads // self.num_kv_heads
        keys = k.repeat_interleave(repeat, dim=1)
        values = v.repeat_interleave(repeat, dim=1)
        scores = q @ keys.transpose(-2, -1) / math.sqrt(self.head_dim)
        future = torch.ones(length, total, dtype=torch.bool, device=x.device).triu(past + 1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        context = (weights @ values).transpose(1, 2).reshape(batch, length, -1)
        return self.out_proj(context), new_cache
