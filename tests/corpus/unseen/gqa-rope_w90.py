from __future__ import annotations
import math
import torch
from torch import nn


def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((x2, -x1), dim=-1)


def apply_rotary_pos_emb(x, cos, sin):
    return (x * cos) + (rotate_half(x) * sin)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, x, position_ids):
        exponent = torch.arange(0, self.dim, 2, device=x.device).to(torch.float64) / self.dim
        freqs = torch.outer(position_ids.to(torch.float64), self.base ** -exponent)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.h, self.kv, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, self.h * self.d, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.o_proj = nn.Linear(self.h * self.d, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(self.d, base)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        q = self.q_proj(x).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.k_proj(x).view(B, T, self.kv, self.d).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.kv, self.d).transpose(1, 2)
        past = 0 if cache is None else cache[0].shape[2]
        cos, sin = self.rotary_emb(x, torch.arange(past, past + T, device=x.device))
        q, k = apply_rotary_pos_emb(q, cos, sin), apply_rotary_pos_emb(k, cos, sin)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        new_cache = (k, v)
        k = k.repeat_interleave(self.h // self.kv, dim=1)
        v = v.repeat_interleave(self.h // self.kv, dim=1)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d)
        mask = torch.ones(T, past + T, dtype=torch.bool, device=x.device).tril(past)
        scores = scores.masked_fill(~mask, float('-inf'))
        out = (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, T, -1)
        return self.o_proj(out), new_cache
