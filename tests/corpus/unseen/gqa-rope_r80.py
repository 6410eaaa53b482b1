from __future__ import annotations

import math
from typing import Any, TypedDict

import torch
from torch import Tensor, nn


class LayerCache(TypedDict):
    k: Tensor
    v: Tensor


# def apply_rotary_emb(x, freqs_cis):            # Meta's layout, pairs of neighbours: not ours
#     x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
#     return torch.view_as_real(x_ * freqs_cis).flatten(3).type_as(x)


class Rotary:
    """Not a module: it has neither parameters nor buffers, only two numbers."""

    def __init__(self, head_dim: int, base: float) -> None:
        self.head_dim, self.base = head_dim, base

    def tables(self, *, start: int, count: int, like: Tensor) -> tuple[Tensor, Tensor]:
        f = torch.float64
        pos = torch.arange(start, start + count, dtype=f, device=like.device)
        inv = self.base ** (-torch.arange(0, self.head_dim, 2, dtype=f, device=like.device) / self.head_dim)
        theta = torch.cat([pos[:, None] * inv] * 2, dim=-1)
        return theta.cos().to(like.dtype), theta.sin().to(like.dtype)

    @staticmethod
    def rotate_half(t: Tensor) -> Tensor:
        a, b = t.chunk(2, dim=-1)
        return torch.cat([-b, a], dim=-1)

    def __call__(self, *tensors: Tensor, start: int) -> list[Tensor]:
        cos, sin = self.tables(start=start, count=tensors[0].shape[-2], like=tensors[0])
        return [t * cos + self.rotate_half(t) * sin for t in tensors]


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.repeats = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary = Rotary(self.head_dim, base)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        past = cache["k"].shape[2] if cache else 0
        q, k, v = (
            proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = self.rotary(q, k, start=past)
        if cache:
            k, v = torch.cat([cache["k"], k], dim=2), torch.cat([cache["v"], v], dim=2)
        new_cache = LayerCache(k=k, v=v)
        keys, values = (t.repeat_interleave(self.repeats, dim=1) for t in (k, v))
        scores = q @ keys.mT / math.sqrt(self.head_dim)
        ahead = torch.full(scores.shape[-2:], -math.inf, dtype=scores.dtype, device=x.device).triu(past + 1)
        context = (scores + ahead).softmax(-1) @ values
        return self.o_proj(context.transpose(1, 2).flatten(2)), new_cache
