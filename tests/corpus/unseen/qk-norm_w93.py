from __future__ import annotations

import torch
from torch import Tensor, nn


class HeadNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, u: Tensor) -> Tensor:
        return u * torch.rsqrt(u.square().mean(-1, keepdim=True) + self.eps) * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.norm = HeadNorm(hidden_dim // num_heads)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k = self.norm(q), self.norm(k)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, torch.finfo(scores.dtype).min).softmax(dim=-1)
        context = torch.einsum("bhqk,bhkd->bqhd", weights, v)
        return self.out(context.flatten(2))
