from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, theta: float = 10000.0) -> None:
        super().__init__()
        self.dim = dim
        self.theta = theta

    def forward(self, t: Tensor, offset: int) -> Tensor:
        # t: (batch, heads, length, dim)
        wide = torch.promote_types(t.dtype, torch.float32)
        freqs = self.theta ** (-torch.arange(0, self.dim, 2, device=t.device, dtype=wide) / self.dim)
        pos = torch.arange(offset, offset + t.shape[-2], device=t.device, dtype=wide)
        ang = torch.outer(pos, freqs)
        cos, sin = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        lo, hi = t.tensor_split(2, dim=-1)
        return torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.sizes = [num_heads * self.head_dim] + 2 * [num_kv_heads * self.head_dim]
        self.qkv_proj = nn.Linear(hidden_dim, sum(self.sizes), bias=False)
        self.o_proj = nn.Linear(self.sizes[0], hidden_dim, bias=False)
        self.rotary = RotaryEmbedding(self.head_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        q, k, v = (
            p.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for p in self.qkv_proj(x).split(self.sizes, dim=-1)
        )
        offset = cache["k"].shape[2] if cache else 0
        q, k = self.rotary(q, offset), self.rotary(k, offset)
        if cache:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)

        q = q.unflatten(1, (self.num_kv_heads, -1))          # b kv group t d
        scores = torch.einsum("bkgtd,bksd->bkgts", q, k) * self.head_dim**-0.5
        i = torch.arange(offset, offset + t, device=x.device)
        j = torch.arange(offset + t, device=x.device)
        scores = scores.masked_fill(j[None, :] > i[:, None], torch.finfo(scores.dtype).min)
        out = torch.einsum("bkgts,bksd->btkgd", scores.softmax(-1), v)
        return self.o_proj(out.flatten(2)), {"k": k, "v": v}
