# attn-kata: differential
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // (2 * num_heads)
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        # four numbers-per-feature vectors, side by side with three fused projections
        self.lq1, self.lk1, self.lq2, self.lk2 = (
            nn.Parameter(0.1 * torch.randn(self.d)) for _ in range(4)
        )
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.gain = nn.Parameter(torch.ones(2 * self.d))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        h, d, t = self.h, self.d, x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k = (u.unflatten(-1, (h, 2, d)) for u in (q, k))
        v = v.unflatten(-1, (h, 2 * d))
        ok = torch.tril(torch.ones(t, t, dtype=torch.bool, device=x.device))

        def attend(which: int) -> Tensor:
            s = torch.einsum("bihd,bjhd->bhij", q[..., which, :] * d**-0.5, k[..., which, :])
            return s.masked_fill(~ok, -torch.inf).softmax(-1)

        lam = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.init
        y = torch.einsum("bhij,bjhe->bihe", attend(0) - lam * attend(1), v)
        z = y if y.dtype == torch.float64 else y.float()
        y = (z / (z.square().mean(-1, keepdim=True) + 1e-5).sqrt()).to(y.dtype)
        return self.out((y * self.gain * (1 - self.init)).flatten(2))
