# right: mla
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        C, H, d, r, L = hidden_dim, num_heads, head_dim, rope_dim, latent_dim
        self.d, self.r, self.L = d, r, L
        self.W_O = nn.Parameter(torch.randn(H, d, C) * (H * d) ** -0.5)
        self.W_UV = nn.Parameter(torch.randn(H, L, d) * L**-0.5)
        self.W_UK = nn.Parameter(torch.randn(H, d, L) * L**-0.5)
        self.W_DKV = nn.Parameter(torch.randn(C, L) * C**-0.5)
        self.W_KR = nn.Parameter(torch.randn(C, r) * C**-0.5)
        self.W_Q = nn.Parameter(torch.randn(C, H, d + r) * C**-0.5)

    def _turn(self, z: Tensor, start: int) -> Tensor:
        pos = torch.arange(start, start + z.shape[-2], device=z.device, dtype=torch.float64)
        i = torch.arange(self.r // 2, device=z.device, dtype=torch.float64)
        ang = pos[:, None] / 10000 ** (2 * i / self.r)
        cos = ang.cos().repeat(1, 2).to(z.dtype)
        sin = ang.sin().repeat(1, 2).to(z.dtype)
        a, b = z.chunk(2, -1)
        return z * cos + torch.cat([-b, a], -1) * sin

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        t = x.shape[1]
        past = 0 if cache is None else cache.shape[1]
        q = torch.einsum("btc,chd->bhtd", x, self.W_Q)
        q_c, q_r = q[..., : self.d], self._turn(q[..., self.d :], past)
        new = torch.cat([x @ self.W_DKV, self._turn(x @ self.W_KR, past)], -1)
        mem = new if cache is None else torch.cat([cache, new], 1)
        q_lat = torch.cat([torch.einsum("bhtd,hdl->bhtl", q_c, self.W_UK), q_r], -1)
        s = torch.einsum("bhtl,bsl->bhts", q_lat, mem) / math.sqrt(self.d + self.r)
        future = torch.ones(t, past + t, dtype=torch.bool, device=x.device).triu(past + 1)
        w = s.masked_fill(future, float("-inf")).softmax(-1)
        ctx = torch.einsum("bhts,bsl->bhtl", w, mem[..., : self.L])
        return torch.einsum("bhtl,hld,hdc->btc", ctx, self.W_UV, self.W_O), mem
