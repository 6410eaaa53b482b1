# attn-kata: differential
# One attention over 2H maps; the difference is a product with the vector (1, -lambda).
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.w_qkv = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) * hidden_dim ** -0.5)
        self.w_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim ** -0.5)
        self.lam = nn.Parameter(torch.randn(2, 2, self.d) * 0.1)  # (q or k, first or second map, d)
        self.gain = nn.Parameter(torch.ones(2 * self.d))

    def signs(self) -> Tensor:
        first, second = torch.linalg.vecdot(self.lam[0], self.lam[1]).exp().unbind()
        lam = first - second + self.lambda_init
        return torch.stack([torch.ones_like(lam), -lam])

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = torch.einsum("bnc,pck->pbnk", x, self.w_qkv)
        q = q.reshape(b, n, self.h, 2, self.d)
        k = k.reshape(b, n, self.h, 2, self.d)
        v = v.reshape(b, n, self.h, 2 * self.d)
        s = torch.einsum("bihzd,bjhzd->bhzij", q, k).div(math.sqrt(self.d))
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        maps = s.masked_fill(future, -math.inf).softmax(-1)
        weights = torch.einsum("bhzij,z->bhij", maps, self.signs())
        o = torch.einsum("bhij,bjhe->bihe", weights, v)
        o = o * torch.rsqrt(o.square().mean(-1, keepdim=True) + 1e-5) * self.gain
        return (o * (1 - self.lambda_init)).flatten(2) @ self.w_out
