from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def split_maps(t: Tensor, heads: int) -> Tensor:
    """(b, n, 2·heads·dim) -> (2, b, heads, n, dim)"""
    b, n, width = t.shape
    dim = width // (2 * heads)
    return t.view(b, n, 2, heads, dim).permute(2, 0, 3, 1, 4)


class HeadNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, t: Tensor) -> Tensor:
        ms = (t * t).mean(dim=-1, keepdim=True)
        return self.scale * t / torch.sqrt(ms + 1e-5)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lam = nn.Parameter(torch.randn(4, self.head_dim) * 0.1)  # lq1, lk1, lq2, lk2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.norm = HeadNorm(2 * self.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k = split_maps(q, self.num_heads), split_maps(k, self.num_heads)
        v = v.view(b, n, self.num_heads, -1).transpose(1, 2)
        bias = torch.full((n, n), -math.inf, device=x.device, dtype=x.dtype).triu(1)
        first, second = F.softmax(q @ k.mT * self.head_dim**-0.5 + bias, dim=-1)
        lq1, lk1, lq2, lk2 = self.lam
        lam = torch.exp(lq1.dot(lk1)) - torch.exp(lq2.dot(lk2)) + self.lambda_init
        heads = self.norm((first - lam * second) @ v) * (1 - self.lambda_init)
        return self.to_out(heads.transpose(1, 2).flatten(2))
