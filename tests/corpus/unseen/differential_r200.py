"""Differential attention, sum over signed maps.

    o_hic = sum_s sigma_s  A^s_hij  v_hjc,   s = 0, 1,   sigma = (1, -lambda)

h head, s which map, i query, j key, d feature of q and k, c feature of v (twice as many).
"""
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def log_normalise(u: Tensor) -> Tensor:
    """u_j - log sum_j exp(u_j) by hand; -inf entries allowed as long as one is finite."""
    top = u.amax(-1, keepdim=True)
    rest = torch.log(torch.exp(u - top).sum(-1, keepdim=True))
    return (u - top) - rest


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        H, d = num_heads, hidden_dim // (2 * num_heads)
        self.H, self.d, self.c = H, d, 2 * d
        # 0.8 - 0.6 e^{-x} = 0.2 - 0.6 (e^{-x} - 1)
        self.lam0 = 0.2 - 0.6 * math.expm1(-0.3 * depth)
        s = hidden_dim**-0.5
        self.Q = nn.Parameter(s * torch.randn(H, 2, d, hidden_dim))
        self.K = nn.Parameter(s * torch.randn(H, 2, d, hidden_dim))
        self.V = nn.Parameter(s * torch.randn(H, 2 * d, hidden_dim))
        self.O = nn.Parameter(s * torch.randn(hidden_dim, H, 2 * d))
        self.lq1 = nn.Parameter(0.1 * torch.randn(d))
        self.lk1 = nn.Parameter(0.1 * torch.randn(d))
        self.lq2 = nn.Parameter(0.1 * torch.randn(d))
        self.lk2 = nn.Parameter(0.1 * torch.randn(d))
        self.g = nn.Parameter(torch.ones(2 * d))

    @property
    def lam(self) -> Tensor:
        return torch.exp(self.lq1.dot(self.lk1)) - torch.exp(self.lq2.dot(self.lk2)) + self.lam0

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        q = torch.einsum("bix,hsdx->bhsid", x, self.Q)
        k = torch.einsum("bjx,hsdx->bhsjd", x, self.K)
        v = torch.einsum("bjx,hcx->bhjc", x, self.V)
        wide = torch.promote_types(x.dtype, torch.float32)
        u = torch.einsum("bhsid,bhsjd->bhsij", q.to(wide), k.to(wide)) / math.sqrt(self.d)
        i = torch.arange(n, device=x.device)
        u = u.masked_fill(i[None, :] > i[:, None], -math.inf)
        A = log_normalise(u).exp()
        lam = self.lam.to(wide)
        sigma = torch.stack((torch.ones_like(lam), -lam))
        o = torch.einsum("s,bhsij,bhjc->bihc", sigma, A, v.to(wide))
        power = torch.einsum("bihc,bihc->bih", o, o) / self.c
        o = torch.einsum("bihc,bih,c->bihc", o, torch.rsqrt(power + 1e-5), self.g.to(wide)) * (1.0 - self.lam0)
        return torch.einsum("bihc,xhc->bix", o.to(x.dtype), self.O)
