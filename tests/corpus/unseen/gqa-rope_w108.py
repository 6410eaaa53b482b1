from __future__ import annotations

import torch
from torch import nn


def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class RotaryEmbedding:
    def __init__(self, dim: int, theta: float):
        self.dim, self.theta = dim, theta

    def __call__(self, position_ids: torch.Tensor, dtype: torch.dtype):
        exponent = torch.arange(0, self.dim, 2, device=position_ids.device).double() / self.dim
        freqs = position_ids.double()[:, None] / self.theta**exponent
        emb = freqs.repeat_interleave(2, dim=-1)
        return emb.cos().to(dtype), emb.sin().to(dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        hidden_shape = (*x.shape[:-1], -1, self.head_dim)
        query_states = self.q_proj(x).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(x).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)

        past_len = 0 if cache is None else cache["key_states"].shape[-2]
        cache_position = torch.arange(past_len, past_len + x.shape[1], device=x.device)
        cos, sin = self.rotary_emb(cache_position, x.dtype)
        query_states = query_states * cos + rotate_half(query_states) * sin
        key_states = key_states * cos + rotate_half(key_states) * sin

        if cache is not None:
            key_states = torch.cat([cache["key_states"], key_states], dim=-2)
            value_states = torch.cat([cache["value_states"], value_states], dim=-2)
        present = {"key_states": key_states, "value_states": value_states}

        key_states = key_states.repeat_interleave(self.num_key_value_groups, dim=1)
        value_states = value_states.repeat_interleave(self.num_key_value_groups, dim=1)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.scaling
        kv_position = torch.arange(key_states.shape[-2], device=x.device)
        causal_mask = kv_position[None, :] > cache_position[:, None]
        attn_weights = attn_weights.masked_fill(causal_mask, torch.finfo(x.dtype).min)
        attn_weights = attn_weights.softmax(dim=-1)
        attn_output = torch.matmul(attn_weights, value_states).transpose(1, 2)
        return self.o_proj(attn_output.reshape(*x.shape[:-1], -1)), present
