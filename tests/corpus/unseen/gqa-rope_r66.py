from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class LlamaishConfig:
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int
    rope_theta: float = 10000.0
    attention_bias: bool = False

    @property
    def head_dim(self):
        return self.hidden_size // self.num_attention_heads


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


def repeat_kv(hidden_states, n_rep):
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class LlamaishRotaryEmbedding:
    def __init__(self, config):
        self.config = config

    @torch.no_grad()
    def __call__(self, x, position_ids):
        dim, acc = self.config.head_dim, torch.promote_types(x.dtype, torch.float32)
        steps = torch.arange(0, dim, 2, dtype=torch.int64, device=x.device).to(acc)
        inv_freq = 1.0 / (self.config.rope_theta ** (steps / dim))
        freqs = (inv_freq[None, :, None].expand(position_ids.shape[0], -1, 1) @ position_ids[:, None, :].to(acc))
        emb = torch.cat((freqs.transpose(1, 2),) * 2, dim=-1)
        return emb.cos().to(dtype=x.dtype), emb.sin().to(dtype=x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        config = LlamaishConfig(hidden_dim, num_heads, num_kv_heads, rope_theta=base)
        self.head_dim = config.head_dim
        self.num_key_value_groups = num_heads // num_kv_heads
        self.scaling = self.head_dim ** -0.5
        bias = config.attention_bias
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=bias)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=bias)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=bias)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=bias)
        self.rotary_emb = LlamaishRotaryEmbedding(config)

    def forward(self, x, cache: Optional[dict] = None):
        shape = (*x.shape[:-1], -1, self.head_dim)
        query, key, value = (p(x).view(shape).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        seen = 0 if cache is None else cache["key"].shape[-2]
        cache_position = torch.arange(seen, seen + x.shape[1], device=x.device)
        query, key = apply_rotary_pos_emb(query, key, *self.rotary_emb(x, cache_position.unsqueeze(0)))
        if cache is not None:
            key = torch.cat([cache["key"], key], dim=-2)
            value = torch.cat([cache["value"], value], dim=-2)
        new_cache = dict(key=key, value=value)

        key_states, value_states = (repeat_kv(t, self.num_key_value_groups) for t in (key, value))
        attn_weights = torch.matmul(query, key_states.transpose(2, 3)) * self.scaling
        allowed = torch.arange(key.shape[-2], device=x.device) <= cache_position[:, None]
        attn_weights = torch.where(allowed, attn_weights, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = (attn_weights @ value_states).transpose(1, 2).reshape(*x.shape[:-1], -1)
        return self.o_proj(attn_output), new_cache
