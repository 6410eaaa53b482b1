"""MLA, absorbed: decode never materialises per-head keys and values."""
import torch
from torch import nn


def rope(x, start, theta=10000.0):
    # x: (..., T, R), halves
    T, R = x.shape[-2:]
    wide = torch.promote_types(x.dtype, torch.float32)
    inv = theta ** (-torch.arange(0, R, 2, device=x.device, dtype=wide) / R)
    ang = torch.arange(start, start + T, device=x.device, dtype=wide)[:, None] * inv
    c, s = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x[..., : R // 2], x[..., R // 2 :]
    return torch.cat([a * c - b * s, b * c + a * s], -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.w_uk = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim ** -0.5)
        self.w_uv = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim ** -0.5)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        past = 0 if cache is None else cache.shape[1]
        qc, qr = self.wq(x).view(B, T, self.H, -1).transpose(1, 2).split([self.D, self.R], -1)
        c, kr = self.wkv_a(x).split([self.L, self.R], -1)
        entry = torch.cat([c, rope(kr, past)], -1)
        cache = entry if cache is None else torch.cat([cache, entry], 1)

        q = torch.cat([torch.einsum("bhtd,hdl->bhtl", qc, self.w_uk), rope(qr, past)], -1)
        scores = torch.einsum("bhtf,bsf->bhts", q, cache) / q.size(-1) ** 0.5
        S = past + T
        future = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(past + 1)
        p = scores.masked_fill(future, float("-inf")).softmax(-1)
        ctx = torch.einsum("bhts,bsl->bhtl", p, cache[..., : self.L])
        o = torch.einsum("bhtl,hdl->bthd", ctx, self.w_uv).flatten(2)
        return self.wo(o), cache
