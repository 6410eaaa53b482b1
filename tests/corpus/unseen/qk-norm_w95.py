from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class HeadNorm(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, u: Tensor) -> Tensor:
        return u * torch.rsqrt(u.square().mean(-1, keepdim=True) + 1e-6) * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.q_norm = HeadNorm(self.head_dim)
        self.k_norm = HeadNorm(self.head_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _queries(self, t: Tensor) -> Tensor:
        return self.q_norm(self._split(t) / math.sqrt(self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = self._queries(q) @ self.k_norm(self._split(k)).mT
        n = x.shape[1]
        late = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(late, float("-inf")).softmax(-1)
        return self.proj((weights @ self._split(v)).transpose(1, 2).flatten(2))
