# wrong: mla cache-wrong-order line 48
from __future__ import annotations

import torch
from torch import nn, einsum


def exists(v):
    return v is not None


def rope(t, start):
    # t - (... n d)
    n, d = t.shape[-2:]
    inv = 10000 ** -(torch.arange(0, d, 2, device=t.device).double() / d)
    f = torch.arange(start, start + n, device=t.device).double()[:, None] * inv
    f = torch.cat((f, f), dim=-1)
    x1, x2 = t.chunk(2, dim=-1)
    return t * f.cos().to(t) + torch.cat((-x2, x1), dim=-1) * f.sin().to(t)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.heads = num_heads
        self.scale = (head_dim + rope_dim) ** -0.5
        self.to_q = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.to_qr = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.to_latent = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.to_kr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.to_k = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.to_v = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.to_out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def split_heads(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, cache=None):
        start = cache[0].shape[1] if exists(cache) else 0

        q = self.split_heads(self.to_q(x))
        qr = rope(self.split_heads(self.to_qr(x)), start)
        memory = (self.to_latent(x), rope(self.to_kr(x), start))

        # append to the memory, along the sequence

        if exists(cache):
            memory = tuple(torch.cat(pair, dim=1) for pair in zip(memory, cache))

        c, kr = memory
        k, v = map(self.split_heads, (self.to_k(c), self.to_v(c)))

        sim = einsum('b h i d, b h j d -> b h i j', q, k) + einsum('b h i d, b j d -> b h i j', qr, kr)
        i, j = sim.shape[-2:]
        mask = torch.ones((i, j), dtype=torch.bool, device=x.device).triu(j - i + 1)
        attn = (sim * self.scale).masked_fill(mask, float('-inf')).softmax(dim=-1)

        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(out.transpose(1, 2).flatten(2)), memory
