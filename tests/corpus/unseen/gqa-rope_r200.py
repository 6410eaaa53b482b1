"""Grouped-query attention, rotary phases, growing cache.

    k_p -> k_p exp(i w p)   with the head read as head_dim/2 complex numbers  z_i = x_i + i x_{i+d/2}
    s_pq = Re( conj(q_p) k_q ) / sqrt(d)  ->  only p - q matters

The cache is an immutable tuple of slabs, one slab per call: (k rotated, v), each (B, T, G, d).
"""
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.H, self.G = num_heads, num_kv_heads
        self.R = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        assert self.d % 2 == 0
        self.base = float(base)
        C, H, G, d = hidden_dim, self.H, self.G, self.d
        init = lambda *shape: nn.Parameter(torch.randn(*shape) * C**-0.5)  # noqa: E731
        self.Wq = init(H, d, C)
        self.Wk = init(G, d, C)
        self.Wv = init(G, d, C)
        self.Wo = init(C, H, d)

    def turn(self, x: Tensor, p0: int) -> Tensor:
        """Multiply x (B, T, heads, d) by exp(i p w), p = p0 .. p0+T-1."""
        real = torch.promote_types(x.dtype, torch.float32)
        a, b = x.to(real).split(self.d // 2, dim=-1)
        n = torch.arange(self.d // 2, dtype=torch.float64, device=x.device)
        p = torch.arange(p0, p0 + x.shape[1], dtype=torch.float64, device=x.device)
        phi = torch.einsum("t,n->tn", p, self.base ** (-2.0 * n / self.d))
        phase = torch.polar(torch.ones_like(phi), phi)[:, None, :]
        z = torch.complex(a, b)
        z = z * phase.to(z.dtype)
        return torch.cat((z.real, z.imag), dim=-1).to(x.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        slabs = () if cache is None else cache
        p0 = sum(k.shape[1] for k, _ in slabs)
        T = x.shape[1]

        q = self.turn(torch.einsum("btc,hdc->bthd", x, self.Wq), p0)
        k = self.turn(torch.einsum("btc,gdc->btgd", x, self.Wk), p0)
        v = torch.einsum("btc,gdc->btgd", x, self.Wv)
        slabs = (*slabs, (k, v))
        K = torch.cat([s[0] for s in slabs], dim=1)
        V = torch.cat([s[1] for s in slabs], dim=1)

        now = torch.arange(p0, p0 + T, device=x.device)
        then = torch.arange(p0 + T, device=x.device)
        future = then[None, :] > now[:, None]

        real = torch.promote_types(x.dtype, torch.float32)
        y = torch.zeros_like(x)
        for h in range(self.H):
            g = h // self.R
            s = torch.einsum("btd,bsd->bts", q[:, :, h].to(real), K[:, :, g].to(real)) / math.sqrt(self.d)
            s = s.masked_fill(future, -math.inf)
            s = s - torch.logsumexp(s, dim=-1, keepdim=True)
            o = torch.einsum("bts,bsd->btd", s.exp().to(x.dtype), V[:, :, g])
            y = y + torch.einsum("btd,cd->btc", o, self.Wo[:, h])
        return y, slabs
