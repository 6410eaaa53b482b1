# attn-kata: gqa-rope
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, base: float) -> None:
        super().__init__()
        self.dim = dim
        self.base = base

    @torch.no_grad()
    def forward(self, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        exponent = torch.arange(0, self.dim, 2, dtype=torch.float32, device=x.device) / self.dim
        inv_freq = 1.0 / (float(self.base) ** exponent)
        freqs = position_ids[:, None].float() * inv_freq[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype=x.dtype), emb.sin().to(dtype=x.dtype)


def rotate_half(x: Tensor) -> Tensor:
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(dim=self.head_dim, base=base)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        bsz, q_len, _ = x.shape
        hidden_shape = (bsz, q_len, -1, self.head_dim)
        query_states = self.q_proj(x).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(x).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)

        past_len = 0 if cache is None else cache[0].shape[2]
        position_ids = torch.arange(past_len, past_len + q_len, device=x.device)
        cos, sin = self.rotary_emb(x, position_ids)
        query_states, key_states = apply_rotary_pos_emb(query_states, key_states, cos, sin)

        if cache is not None:
            key_states = torch.cat((cache[0], key_states), dim=2)
            value_states = torch.cat((cache[1], value_states), dim=2)
        present = (key_states, value_states)

        k = key_states.repeat_interleave(self.num_key_value_groups, dim=1)
        v = value_states.repeat_interleave(self.num_key_value_groups, dim=1)
        attn_weights = torch.matmul(query_states, k.transpose(2, 3)) * self.scaling
        kv_pos = torch.arange(k.shape[2], device=x.device)
        causal = kv_pos[None, :] > position_ids[:, None]
        attn_weights = attn_weights.masked_fill(causal, torch.finfo(attn_weights.dtype).min)
        attn_weights = torch.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, v).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), present
