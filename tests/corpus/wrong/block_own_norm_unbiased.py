# wrong: block norm-unbiased line 19
from __future__ import annotations
import math
import torch
from torch import Tensor, nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    """手写 LayerNorm"""
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.norm1, self.norm2 = LayerNorm(hidden_dim), LayerNorm(hidden_dim)
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.ff = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def attend(self, x: Tensor) -> Tensor:
        heads = lambda t: t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        q, k, v = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        scores = (q @ k.mT) / math.sqrt(q.size(-1))
        n = x.size(1)
        scores = scores + torch.full((n, n), -math.inf, device=x.device, dtype=x.dtype).triu(1)
        return self.out((F.softmax(scores, -1) @ v).transpose(1, 2).flatten(-2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attend(self.norm1(x))
        return x + self.ff(self.norm2(x))
