from dataclasses import dataclass, replace
import torch
from torch import nn, Tensor


@dataclass(frozen=True)
class LatentCache:
    c: Tensor
    kr: Tensor

    def append(self, c, kr):
        return replace(self, c=torch.cat([self.c, c], 1), kr=torch.cat([self.kr, kr], 1))


def spin(t, start):
    """t (..., T, R); halves are pairs"""
    T, R = t.shape[-2:]
    p = torch.arange(start, start + T, device=t.device, dtype=torch.float32)
    f = torch.logspace(0, -2 * (R // 2 - 1) / R, R // 2, base=10000.0, device=t.device, dtype=torch.float64)
    ang = p.double()[:, None] * f
    c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
    a, b = t[..., : R // 2], t[..., R // 2:]
    return torch.cat((a * c - b * s, b * c + a * s), -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.dh, self.R, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b = nn.Parameter(torch.randn(num_heads, 2, head_dim, latent_dim) * latent_dim ** -0.5)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        past = 0 if cache is None else cache.c.shape[1]
        q = self.q_proj(x).unflatten(-1, (self.H, -1)).transpose(1, 2)
        qc, qr = q.split([self.dh, self.R], -1)
        c, kr = self.kv_a_proj_with_mqa(x).split([self.L, self.R], -1)
        kr = spin(kr, past)
        cache = LatentCache(c, kr) if cache is None else cache.append(c, kr)
        up_k, up_v = self.kv_b.unbind(1)                       # H, dh, L
        q_lat = torch.einsum("bhtd,hdl->bhtl", qc, up_k)       # absorbed
        s = torch.einsum("bhtl,bsl->bhts", q_lat, cache.c) + torch.einsum("bhtr,bsr->bhts", spin(qr, past), cache.kr)
        s = s * (self.dh + self.R) ** -0.5
        S = s.shape[-1]
        s = s.masked_fill(torch.ones(T, S, device=x.device, dtype=torch.bool).triu(S - T + 1), -torch.inf)
        ctx = torch.einsum("bhts,bsl,hdl->bthd", s.softmax(-1), cache.c, up_v)
        return self.o_proj(ctx.flatten(2)), cache
