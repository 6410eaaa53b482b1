# attn-kata: cross
from __future__ import annotations

from einops import rearrange, repeat
import torch
from torch import einsum, nn


def exists(val):
    return val is not None


class CrossAttention(nn.Module):
    """context attention as in latent diffusion: q from x, k and v from the context"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_dropout = nn.Dropout(dropout)
        self.to_out = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))

    def forward(self, query, key, value, mask=None):
        h = self.heads
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> (b h) n d", h=h), (q, k, v))

        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        if exists(mask):
            mask = repeat(mask, "b i j -> (b h) i j", h=h)
            sim = sim.masked_fill(mask == 0, 1e-9)
        attn = self.attn_dropout(sim.softmax(dim=-1))

        out = einsum("b i j, b j d -> b i d", attn, v)
        out = rearrange(out, "(b h) n d -> b n (h d)", h=h)
        return self.to_out(out)
