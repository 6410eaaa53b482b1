# right: mla
from __future__ import annotations

from typing import NamedTuple

import torch
from torch import nn, einsum, cat, arange, Tensor
from torch.nn import Module, Linear, Parameter

# helpers

def exists(v):
    return v is not None

def default(v, d):
    return v if exists(v) else d

class Memories(NamedTuple):
    latents: Tensor
    rotary_keys: Tensor
    seen: int

# rotary, halves

class RotaryEmbedding(Module):
    def __init__(self, dim, theta = 10000):
        super().__init__()
        self.dim = dim
        self.theta = theta

    def forward(self, seq_len, offset, device):
        freqs = self.theta ** -(arange(0, self.dim, 2, device = device).float() / self.dim)
        t = arange(offset, offset + seq_len, device = device).float()
        freqs = einsum('i , j -> i j', t, freqs)
        return cat((freqs, freqs), dim = -1)

def rotate_half(x):
    x1, x2 = x.chunk(2, dim = -1)
    return cat((-x2, x1), dim = -1)

def apply_rotary_pos_emb(pos, t):
    return (t * pos.cos() + rotate_half(t) * pos.sin()).type(t.dtype)

# main class

class MultiHeadLatentAttention(Module):
    def __init__(
        self,
        hidden_dim,
        num_heads,
        head_dim,
        rope_dim,
        latent_dim
    ):
        super().__init__()
        self.heads = num_heads
        self.scale = (head_dim + rope_dim) ** -0.5

        self.rotary_emb = RotaryEmbedding(rope_dim)

        self.to_q_content = Linear(hidden_dim, num_heads * head_dim, bias = False)
        self.to_q_rope = Linear(hidden_dim, num_heads * rope_dim, bias = False)

        self.to_latent = Linear(hidden_dim, latent_dim, bias = False)
        self.to_k_rope = Linear(hidden_dim, rope_dim, bias = False)

        self.k_up = Parameter(torch.randn(num_heads, latent_dim, head_dim) * latent_dim ** -0.5)
        self.v_up = Parameter(torch.randn(num_heads, latent_dim, head_dim) * latent_dim ** -0.5)

        self.to_out = Linear(num_heads * head_dim, hidden_dim, bias = False)

    def forward(self, x, cache = None):
        n, h, device = x.shape[-2], self.heads, x.device

        offset = cache.seen if exists(cache) else 0

        qc, qr = self.to_q_content(x), self.to_q_rope(x)
        qc, qr = map(lambda t: t.unflatten(-1, (h, -1)).transpose(1, 2), (qc, qr))

        c, kr = self.to_latent(x), self.to_k_rope(x)

        # position

        pos = self.rotary_emb(n, offset, device)
        qr = apply_rotary_pos_emb(pos, qr)
        kr = apply_rotary_pos_emb(pos, kr)

        if exists(cache):
            c = cat((cache.latents, c), dim = -2)
            kr = cat((cache.rotary_keys, kr), dim = -2)

        # similarity

        qc = einsum('b h i d, h l d -> b h i l', qc, self.k_up)

        sim = einsum('b h i l, b j l -> b h i j', qc, c) + einsum('b h i r, b j r -> b h i j', qr, kr)
        sim = sim * self.scale

        # causal

        i, j = sim.shape[-2:]
        causal_mask = torch.ones((i, j), device = device, dtype = torch.bool).triu(j - i + 1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)

        attn = sim.softmax(dim = -1)

        v = einsum('b j l, h l d -> b h j d', c, self.v_up)
        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        out = out.transpose(1, 2).flatten(-2)

        return self.to_out(out), Memories(c, kr, offset + n)
