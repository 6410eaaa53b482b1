from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """The two maps are never subtracted: each weighs the values, and the results are subtracted."""

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        # [[lq1, lk1], [lq2, lk2]]
        self.lambdas = nn.Parameter(torch.randn(2, 2, self.head_dim) * 0.1)
        self.gain = nn.Parameter(torch.ones(2 * self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q = self.wq(x).view(b, t, self.num_heads, 2, self.head_dim)
        k = self.wk(x).view(b, t, self.num_heads, 2, self.head_dim)
        v = self.wv(x).view(b, t, self.num_heads, 2 * self.head_dim)
        scores = torch.einsum("bihmd,bjhmd->bhmij", q, k) / math.sqrt(self.head_dim)
        hidden = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        maps = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        signal, noise = torch.einsum("bhmij,bjhe->mbihe", maps, v)
        first, second = self.lambdas.prod(dim=1).sum(dim=-1).exp()
        out = signal - (first - second + self.lambda_init) * noise
        out = out * torch.rsqrt(out.pow(2).mean(dim=-1, keepdim=True) + 1e-5) * self.gain
        return self.wo((out * (1 - self.lambda_init)).reshape(b, t, c))
