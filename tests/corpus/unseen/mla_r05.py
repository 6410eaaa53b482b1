"""MLA with the up-projections absorbed: scores and sums are taken in the latent space.

The cache is one tensor, (batch, positions, latent_dim + rope_dim): [latent | rotated key].
"""
import torch
from torch import nn


def turn(t, first):
    """Rotate halves of the last axis; axis -2 is the position, counted from `first`."""
    half = t.size(-1) // 2
    wide = torch.float64 if t.dtype == torch.float64 else torch.float32
    i = torch.arange(half, device=t.device, dtype=wide)
    p = torch.arange(first, first + t.size(-2), device=t.device, dtype=wide)
    phase = torch.outer(p, 10000.0 ** (-i / half))
    c, s = phase.cos(), phase.sin()
    lo, hi = t.to(wide).split(half, dim=-1)
    return torch.cat((lo * c - hi * s, hi * c + lo * s), dim=-1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.w_q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.w_down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.w_uk = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.w_uv = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.w_o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        n, t, _ = x.shape
        past = 0 if cache is None else cache.size(1)
        latent, k_rot = self.w_down(x).split([self.L, self.R], dim=-1)
        fresh = torch.cat([latent, turn(k_rot, past)], dim=-1)
        cache = fresh if cache is None else torch.cat([cache, fresh], dim=1)

        q = self.w_q(x).view(n, t, self.H, -1).transpose(1, 2)
        q_c, q_r = q.split([self.D, self.R], dim=-1)
        q_c = torch.einsum("nhtd,hdl->nhtl", q_c, self.w_uk)
        q = torch.cat([q_c, turn(q_r, past)], dim=-1)

        scores = torch.einsum("nhtm,nsm->nhts", q, cache) * (self.D + self.R) ** -0.5
        s = cache.size(1)
        later = torch.ones(t, s, dtype=torch.bool, device=x.device).triu(past + 1)
        w = scores.masked_fill(later, float("-inf")).softmax(-1)
        o = torch.einsum("nhts,nsl->nhtl", w, cache[..., : self.L])
        o = torch.einsum("nhtl,hdl->nthd", o, self.w_uv)
        return self.w_o(o.reshape(n, t, -1)), cache
