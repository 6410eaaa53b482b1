import math

import torch
from torch import nn


class Rope:
    """Angles by position, in double; halves are the partners."""

    def __init__(self, width):
        self.width = width

    def __call__(self, t, first):
        pos = torch.arange(first, first + t.shape[1], dtype=torch.double, device=t.device)
        rate = torch.exp(
            torch.arange(0, self.width, 2, dtype=torch.double, device=t.device)
            * (-math.log(10000.0) / self.width)
        )
        ang = torch.outer(pos, rate)
        ang = ang.view(1, t.shape[1], *[1] * (t.dim() - 3), -1)
        cos, sin = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        pair = t.unflatten(-1, (2, -1))
        a, b = pair.unbind(-2)
        return torch.stack((a * cos - b * sin, b * cos + a * sin), -2).flatten(-2)


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: no key and no value is ever made, queries are moved into latent space instead."""

    def __init__(self, hidden_dim, num_heads, latent_dim, *, head_dim, rope_dim):
        super().__init__()
        H, N, R, C = num_heads, head_dim, rope_dim, latent_dim
        self.sizes = (C, R)
        self.wkv_a = nn.Linear(hidden_dim, C + R, bias=False)
        self.wq_nope = nn.Parameter(torch.randn(H, N, hidden_dim) * hidden_dim**-0.5)
        self.wq_pe = nn.Parameter(torch.randn(H, R, hidden_dim) * hidden_dim**-0.5)
        self.wkv_b = nn.Parameter(torch.randn(2, C, H, N) * C**-0.5)      # value first, then key
        self.wo = nn.Parameter(torch.randn(hidden_dim, H, N) * (H * N) ** -0.5)
        self.rope = Rope(R)
        self.temperature = math.sqrt(N + R)

    def forward(self, x, cache=None):
        first = 0 if cache is None else cache.size(1)
        latent, k_pe = self.wkv_a(x).split(self.sizes, -1)
        entry = torch.cat([latent, self.rope(k_pe, first)], -1)
        cache = entry if cache is None else torch.cat([cache, entry], 1)   # (b, t, C + R)

        q_nope = torch.einsum("bsd,hnd->bshn", x, self.wq_nope)
        q_pe = self.rope(torch.einsum("bsd,hrd->bshr", x, self.wq_pe), first)
        q_lat = torch.einsum("bshn,chn->bshc", q_nope, self.wkv_b[1])
        q = torch.cat([q_lat, q_pe], -1) / self.temperature

        scores = torch.einsum("bshj,btj->bsht", q, cache)
        t = torch.arange(cache.size(1), device=x.device)
        s = torch.arange(first, cache.size(1), device=x.device)
        future = t > s[:, None, None]                                     # (s, 1, t)
        probs = scores.masked_fill(future, -torch.inf).softmax(-1)

        ctx = torch.einsum("bsht,btc->bshc", probs, cache[..., : self.sizes[0]])
        v = torch.einsum("bshc,chn->bshn", ctx, self.wkv_b[0])
        return torch.einsum("bshn,dhn->bsd", v, self.wo), cache
