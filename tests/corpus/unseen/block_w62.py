from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor, nn

Map = Callable[[Tensor], Tensor]


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkvo = nn.ParameterList(nn.Parameter(torch.randn(dim, dim) * dim**-0.5) for _ in "qkvo")

    def forward(self, x: Tensor) -> Tensor:
        *qkv, out = self.qkvo
        q, k, v = (rows.unflatten(-1, (self.heads, -1)) for rows in map(x.matmul, qkv))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(-1) ** 0.5
        i = torch.arange(x.size(1), device=x.device)
        scores = scores.masked_fill(i > i[:, None], -torch.inf)
        mixed = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)
        return mixed.flatten(-2) @ out


class TransformerBlock(nn.Module):
    """Two branches, and a norm in front of each."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_dim)] * 2)
        self.branches = nn.ModuleList([
            Attention(hidden_dim, num_heads),
            nn.Sequential(
                nn.Linear(hidden_dim, 4 * hidden_dim),
                nn.GELU(),
                nn.Linear(4 * hidden_dim, hidden_dim),
            ),
        ])

    def forward(self, x: Tensor) -> Tensor:
        for norm, branch in zip(self.norms, self.branches, strict=True):
            x = x + branch(norm(x))
        return x
