# attn-kata: differential
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Lambda(nn.Module):
    def __init__(self, head_dim: int, depth: int) -> None:
        super().__init__()
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q1, self.k1, self.q2, self.k2 = (
            nn.Parameter(0.1 * torch.randn(head_dim)) for _ in range(4)
        )

    def forward(self) -> Tensor:
        first = torch.dot(self.q1, self.k1).exp()
        second = torch.dot(self.q2, self.k2).exp()
        return first - second


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.width = hidden_dim // (2 * num_heads)
        self.query, self.key, self.value, self.merge = (
            nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
        )
        self.lam = Lambda(self.width, depth)
        self.gain = nn.Parameter(torch.ones(2 * self.width))

    def _map(self, q: Tensor, k: Tensor) -> Tensor:
        s = q @ k.transpose(-1, -2) / math.sqrt(self.width)
        n = s.shape[-1]
        hide = torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1)
        return s.masked_fill(hide, float("-inf")).softmax(dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q = self.query(x).view(b, n, self.heads, 2, self.width).permute(3, 0, 2, 1, 4)
        k = self.key(x).view(b, n, self.heads, 2, self.width).permute(3, 0, 2, 1, 4)
        v = self.value(x).view(b, n, self.heads, 2 * self.width).transpose(1, 2)
        diff = self._map(q[0], k[0]) - self.lam() * self._map(q[1], k[1])
        out = diff @ v
        out = out * torch.rsqrt(out.square().mean(-1, keepdim=True) + 1e-5) * self.gain
        out = out * (1 - self.lam.init)
        return self.merge(out.transpose(1, 2).reshape(b, n, c))
