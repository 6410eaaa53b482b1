# wrong: gqa-rope rope-low-precision line 27
# fair: rope-low-precision 24, 27
# attn-kata: gqa-rope
from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RotaryEmbedding(nn.Module):
    """cos and sin of shape (1, 1, length, head_dim), the halves of the last axis alike"""

    def __init__(self, head_dim: int, base: float) -> None:
        super().__init__()
        self.head_dim = head_dim
        self.base = base

    @torch.no_grad()
    def forward(self, x: Tensor, start: int, length: int) -> tuple[Tensor, Tensor]:
        precise = x.dtype
        i = torch.arange(0, self.head_dim, 2, dtype=precise, device=x.device)
        inv_freq = 1.0 / (self.base ** (i / self.head_dim))
        t = torch.arange(start, start + length, dtype=precise, device=x.device)
        freqs = torch.einsum("i,j->ij", t, inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos()[None, None].to(x.dtype), emb.sin()[None, None].to(x.dtype)


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return (x * cos) + (rotate_half(x) * sin)


def repeat_kv(states: Tensor, n_rep: int) -> Tensor:
    b, n_kv, t, d = states.shape
    return states[:, :, None].expand(b, n_kv, n_rep, t, d).reshape(b, n_kv * n_rep, t, d)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(self.head_dim, base)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        bsz, q_len, _ = x.size()
        past_len = 0 if cache is None else cache[0].size(-2)

        query_states = self.q_proj(x).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        key_states = self.k_proj(x).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value_states = self.v_proj(x).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)

        cos, sin = self.rotary_emb(x, past_len, q_len)
        query_states = apply_rotary_pos_emb(query_states, cos, sin)
        key_states = apply_rotary_pos_emb(key_states, cos, sin)

        if cache is not None:
            key_states = torch.cat([cache[0], key_states], dim=2)
            value_states = torch.cat([cache[1], value_states], dim=2)
        new_cache = (key_states, value_states)

        n_rep = self.num_heads // self.num_kv_heads
        key_states, value_states = repeat_kv(key_states, n_rep), repeat_kv(value_states, n_rep)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) / math.sqrt(self.head_dim)
        causal_mask = torch.full(
            (q_len, past_len + q_len), torch.finfo(attn_weights.dtype).min, dtype=attn_weights.dtype, device=x.device
        ).triu(past_len + 1)
        attn_weights = F.softmax(attn_weights + causal_mask, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), new_cache
