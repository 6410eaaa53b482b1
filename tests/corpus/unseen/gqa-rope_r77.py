from __future__ import annotations

import torch
from torch import Tensor, nn


def whirl(x: Tensor, start: int, base: float) -> Tensor:
    """x (B, T, heads..., d) as complex numbers a + ib, turned by where it stands."""
    T, half = x.shape[1], x.shape[-1] // 2
    a, b = x.float().chunk(2, -1) if x.dtype != torch.float64 else x.chunk(2, -1)
    p = torch.arange(start, start + T, device=x.device, dtype=torch.float64)
    w = float(base) ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
    turn = torch.exp(1j * torch.outer(p, w))
    z = torch.complex(a, b)
    z = z * turn.view(T, *[1] * (x.dim() - 3), half).to(z.dtype)
    return torch.cat([z.real, z.imag], -1).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    """One vector of weights. The cache has keys as they are, turned anew at every call."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.C, self.K, self.G, self.base = hidden_dim, num_kv_heads, num_heads // num_kv_heads, base
        self.D = hidden_dim // num_heads
        rows = num_heads * self.D + 2 * num_kv_heads * self.D + num_heads * self.D
        self.flat = nn.Parameter(torch.randn(rows * hidden_dim) * hidden_dim**-0.5)

    def forward(self, x: Tensor, cache: tuple[Tensor, ...] | None = None):
        B, T, C = x.shape
        K, G, D = self.K, self.G, self.D
        n = K * D * C
        raw_k, raw_v, raw_q, raw_o = self.flat.split([n, n, G * n, G * n])
        k = torch.einsum("btc,kdc->btkd", x, raw_k.view(K, D, C))
        v = torch.einsum("btc,kdc->btkd", x, raw_v.view(K, D, C))
        q = torch.einsum("btc,kgdc->btkgd", x, raw_q.view(K, G, D, C))
        if cache is not None:
            k, v = (torch.cat(pair, 1) for pair in zip(cache, (k, v)))
        S = k.shape[1]
        s = torch.einsum("btkgd,bskd->bkgts", whirl(q, S - T, self.base), whirl(k, 0, self.base))
        s = s * D**-0.5
        hidden = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(S - T + 1)
        w = s.masked_fill(hidden, -torch.inf).softmax(-1)
        y = torch.einsum("bkgts,bskd->btkgd", w, v).reshape(B, T, C)
        return y @ raw_o.view(C, C), (k, v)
