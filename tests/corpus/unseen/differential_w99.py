from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class HeadNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, t: Tensor) -> Tensor:
        return t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.depth = depth
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        for name in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"):
            setattr(self, name, nn.Parameter(torch.randn(self.head_dim) * 0.1))
        self.subln = HeadNorm(2 * self.head_dim)

    @property
    def lambda_init(self) -> float:
        return 0.8 - 0.6 * math.exp(-0.3 * (self.depth - 1))

    @property
    def lambda_full(self) -> Tensor:
        first = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1))
        second = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2))
        return first - second + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q = self.q_proj(x).view(b, t, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, t, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        scores = q @ k.transpose(-1, -2) * self.head_dim ** -0.5
        future = torch.triu(torch.ones(t, t, dtype=torch.bool, device=x.device), 1)
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        weights = weights.view(b, self.num_heads, 2, t, t)
        diff = weights[:, :, 0] - self.lambda_full * weights[:, :, 1]
        out = self.subln(diff @ v) * (1 - self.lambda_init)
        return self.out_proj(out.transpose(1, 2).reshape(b, t, c))
