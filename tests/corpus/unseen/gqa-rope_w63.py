import math
from typing import NamedTuple

import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, x, position_ids):
        t = position_ids.type_as(self.inv_freq)
        freqs = torch.outer(t, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


class LayerCache(NamedTuple):
    key_states: torch.Tensor
    value_states: torch.Tensor


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads, self.num_key_value_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.head_dim, bias=True)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        qkv = self.qkv_proj(x).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
        sizes = [self.num_heads, self.num_key_value_heads, self.num_key_value_heads]
        query_states, key_states, value_states = qkv.split(sizes, dim=1)

        past = cache.key_states.size(2) if cache is not None else 0
        position_ids = torch.arange(past, past + q_len, device=x.device)
        cos, sin = self.rotary_emb(value_states, position_ids)
        query_states = query_states * cos + rotate_half(query_states) * sin
        key_states = key_states * cos + rotate_half(key_states) * sin
        if cache is not None:
            key_states = torch.cat([cache.key_states, key_states], dim=2)
            value_states = torch.cat([cache.value_states, value_states], dim=2)
        cache = LayerCache(key_states, value_states)

        groups = self.num_heads // self.num_key_value_heads
        key_states = key_states.repeat_interleave(groups, 1)
        value_states = value_states.repeat_interleave(groups, 1)
        attn = query_states @ key_states.transpose(2, 3) / math.sqrt(self.head_dim)
        kv_len = key_states.size(2)
        visible = torch.arange(kv_len, device=x.device) <= position_ids[:, None]
        attn = torch.where(visible, attn, torch.finfo(attn.dtype).min)
        out = attn.softmax(dim=-1) @ value_states
        return self.o_proj(out.transpose(1, 2).flatten(2)), cache
