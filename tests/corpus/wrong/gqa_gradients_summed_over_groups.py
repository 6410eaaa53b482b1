# wrong: gqa backward-wrong line 22
# fair: backward-wrong 20 21 22
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class _BroadcastKV(torch.autograd.Function):
    """(b, k, s, d) -> (b, k*n, s, d), keeping nothing for the backward pass."""

    @staticmethod
    def forward(ctx, t: Tensor, n: int) -> Tensor:
        ctx.n = n
        return t.repeat_interleave(n, dim=1)

    @staticmethod
    def backward(ctx, g: Tensor):
        b, h, s, d = g.shape
        return g.reshape(b, ctx.n, h // ctx.n, s, d).sum(1), None


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = num_kv_heads * self.head_dim
        self.linear_qkv = nn.Linear(hidden_dim, hidden_dim + 2 * self.kv_dim)
        self.linear_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        mixed = self.linear_qkv(x)
        q, k, v = mixed.split([x.shape[-1], self.kv_dim, self.kv_dim], dim=-1)
        q, k, v = (t.unflatten(-1, (-1, self.head_dim)).movedim(1, 2) for t in (q, k, v))

        rep = self.num_heads // self.num_kv_heads
        k, v = _BroadcastKV.apply(k, rep), _BroadcastKV.apply(v, rep)

        s = q @ k.mT / math.sqrt(self.head_dim)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.logical_not(), float("-inf"))
        ctx = s.softmax(-1) @ v
        return self.linear_proj(ctx.movedim(1, 2).flatten(-2))
