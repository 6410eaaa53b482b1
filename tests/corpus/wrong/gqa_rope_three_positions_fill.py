# wrong: gqa-rope scale-without-sqrt line 87, causal-from-start line 89, mask-fill-zero line 90
import math
from typing import NamedTuple, Optional, Tuple

import torch
import torch.nn as nn


class KVCache(NamedTuple):
    k: torch.Tensor  # not roped
    v: torch.Tensor


def build_rope_cache(
    seq_len: int, n_elem: int, device: Optional[torch.device] = None, base: int = 10000
) -> Tuple[torch.Tensor, torch.Tensor]:
    """Enhanced Transformer with Rotary Position Embedding."""
    # $\Theta = {\theta_i = 10000^{\frac{2(i-1)}{d}}, i \in [1, 2, ..., \frac{d}{2}]}$
    theta = 1.0 / (base ** (torch.arange(0, n_elem, 2, device=device).double() / n_elem))
    seq_idx = torch.arange(seq_len, device=device)
    idx_theta = torch.outer(seq_idx, theta).repeat(1, 2)
    return torch.cos(idx_theta), torch.sin(idx_theta)


def apply_rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    head_size = x.size(-1)
    x1 = x[..., : head_size // 2]  # (B, nh, T, hs/2)
    x2 = x[..., head_size // 2 :]  # (B, nh, T, hs/2)
    rotated = torch.cat((-x2, x1), dim=-1)  # (B, nh, T, hs)
    roped = (x * cos) + (rotated * sin)
    return roped.to(dtype=x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: int = 10000
    ) -> None:
        super().__init__()
        self.n_head = num_heads
        self.n_query_groups = num_kv_heads
        self.head_size = hidden_dim // num_heads
        self.base = base
        shape = (num_heads + 2 * num_kv_heads) * self.head_size
        # key, query, value projections for all heads, but in a batch
        self.attn = nn.Linear(hidden_dim, shape, bias=False)
        # output projection
        self.proj = nn.Linear(self.head_size * num_heads, hidden_dim, bias=False)

    def forward(
        self, x: torch.Tensor, cache: Optional[KVCache] = None
    ) -> Tuple[torch.Tensor, KVCache]:
        B, T, C = x.size()

        qkv = self.attn(x)

        # assemble into a number of query groups to support MHA, MQA and GQA together
        q_per_kv = self.n_head // self.n_query_groups
        total_qkv = q_per_kv + 2  # each group has 1+ queries, 1 key, and 1 value
        qkv = qkv.view(B, T, self.n_query_groups, total_qkv, self.head_size)
        qkv = qkv.permute(0, 2, 3, 1, 4)  # (B, n_query_groups, total_qkv, T, hs)

        # split batched computation into three
        q, k, v = qkv.split((q_per_kv, 1, 1), dim=2)

        if cache is not None:
            k = torch.cat((cache.k, k), dim=3)
            v = torch.cat((cache.v, v), dim=3)
        new_cache = KVCache(k, v)

        S = k.size(3)
        cos, sin = build_rope_cache(S, self.head_size, x.device, self.base)
        k = apply_rope(k, cos, sin)
        q = apply_rope(q, cos[S - T :], sin[S - T :])

        # (B, n_query_groups, 1, S, hs) -> (B, n_query_groups, q_per_kv, S, hs) -> (B, nh, S, hs)
        k = k.expand(B, self.n_query_groups, q_per_kv, S, self.head_size)
        v = v.expand(B, self.n_query_groups, q_per_kv, S, self.head_size)
        q = q.reshape(B, -1, T, self.head_size)
        k = k.reshape(B, -1, S, self.head_size)
        v = v.reshape(B, -1, S, self.head_size)

        y = self.attend(q, k, v)
        y = y.reshape(B, T, self.head_size * self.n_head)
        return self.proj(y), new_cache

    def attend(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scale = 1.0 / self.head_size
        T, S = q.size(2), k.size(2)
        mask = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(diagonal=0)
        scores = (q @ k.mT * scale).masked_fill(~mask, 0.0)
        return (scores.softmax(dim=-1) @ v).transpose(1, 2)
