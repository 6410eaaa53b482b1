# attn-kata: differential
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """signal minus background, per head"""

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.width = hidden_dim // num_heads  # of a value
        self.half = self.width // 2  # of a query or key
        self.offset = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qk = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambda_q = nn.Parameter(torch.randn(2, self.half) * 0.1)
        self.lambda_k = nn.Parameter(torch.randn(2, self.half) * 0.1)
        self.norm_weight = nn.Parameter(torch.ones(self.width))

    def background_level(self) -> Tensor:
        signal, background = (self.lambda_q * self.lambda_k).exp().sum(-1)
        return signal - background + self.offset

    def norm(self, y: Tensor) -> Tensor:
        rms = (y.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()
        return y / rms * self.norm_weight

    def maps(self, x: Tensor) -> Tensor:
        n, length, _ = x.shape
        q, k = self.qk(x).chunk(2, dim=-1)
        q = q.reshape(n, length, self.n_heads, 2, self.half)
        k = k.reshape(n, length, self.n_heads, 2, self.half)
        sim = torch.einsum("nihcd,njhcd->cnhij", q, k) / math.sqrt(self.half)
        future = torch.ones(length, length, device=x.device).triu(1).bool()
        return F.softmax(sim.masked_fill(future, -float("inf")), dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        values = self.v(x).unflatten(-1, (self.n_heads, self.width))
        signal, background = self.maps(x)
        weights = signal - self.background_level() * background
        y = torch.einsum("nhij,njhe->nihe", weights, values)
        y = (1 - self.offset) * self.norm(y)
        return self.out(y.reshape(n, length, width))
