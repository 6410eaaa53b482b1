# attn-kata: differential
# Both maps of all heads come out of one batched product; the sign of the second map is folded
# into a coefficient vector (+1, -lambda).
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    EPS = 1e-5

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.wqkv = nn.Parameter(torch.randn(hidden_dim, 3 * hidden_dim) / math.sqrt(hidden_dim))
        self.wo = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.gain = nn.Parameter(torch.ones(2 * self.head_dim))
        # rows: lq1, lk1, lq2, lk2
        self.lam = nn.Parameter(0.1 * torch.randn(4, self.head_dim))

    def _lambda(self) -> Tensor:
        dots = (self.lam[0::2] * self.lam[1::2]).sum(dim=1).exp()
        return dots[0] - dots[1] + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        h, d = self.num_heads, self.head_dim
        q, k, v = (x @ self.wqkv).split(c, dim=-1)
        q = q.view(b, t, 2 * h, d).transpose(1, 2)
        k = k.view(b, t, 2 * h, d).transpose(1, 2)
        v = v.view(b, t, h, 2 * d).transpose(1, 2)

        logits = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d)
        tri = torch.ones(t, t, dtype=torch.bool, device=x.device).triu_(1)
        maps = logits.masked_fill(tri, float("-inf")).softmax(-1).view(b, h, 2, t, t)

        lam = self._lambda()
        coeff = torch.stack([torch.ones_like(lam), -lam])
        mixed = (maps * coeff.view(2, 1, 1)).sum(dim=2)
        y = mixed @ v
        y = y * torch.rsqrt((y * y).mean(dim=-1, keepdim=True) + self.EPS) * self.gain
        y = y * (1.0 - self.lambda_init)
        return y.transpose(1, 2).reshape(b, t, c) @ self.wo
