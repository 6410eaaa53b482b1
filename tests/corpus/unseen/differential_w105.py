from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class LambdaReparam(nn.Module):
    def __init__(self, dim: int, depth: int) -> None:
        super().__init__()
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q = nn.ParameterList(nn.Parameter(0.1 * torch.randn(dim)) for _ in range(2))
        self.k = nn.ParameterList(nn.Parameter(0.1 * torch.randn(dim)) for _ in range(2))

    def forward(self) -> Tensor:
        first, second = (torch.dot(a, b).exp() for a, b in zip(self.q, self.k))
        return first - second + self.init


class HeadNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x / torch.sqrt(x.square().mean(-1, keepdim=True) + self.eps)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lam = LambdaReparam(self.head_dim, depth)
        self.subln = HeadNorm(2 * self.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        length = x.size(1)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.unflatten(-1, (self.num_heads, 2, self.head_dim))
        k = k.unflatten(-1, (self.num_heads, 2, self.head_dim))
        v = v.unflatten(-1, (self.num_heads, 2 * self.head_dim))

        scores = torch.einsum("bqhmd,bkhmd->bhmqk", q, k) / math.sqrt(self.head_dim)
        causal = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        maps = scores.masked_fill(~causal, torch.finfo(scores.dtype).min).softmax(dim=-1)

        lam = self.lam()
        attn = maps[:, :, 0] - lam * maps[:, :, 1]
        heads = torch.einsum("bhqk,bkhe->bqhe", attn, v)
        heads = (1 - lam) * self.subln(heads)
        return self.out(heads.flatten(2))
