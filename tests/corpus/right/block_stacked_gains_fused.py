# right: block
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.norms = nn.Parameter(torch.ones(2, hidden_dim))
        self.vqk = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.merge = nn.Linear(hidden_dim, hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def norm(self, x: Tensor, i: int) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], self.norms[i], None, 1e-5)

    def attention(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        v, q, k = (z.view(b, t, self.h, -1).transpose(1, 2) for z in self.vqk(x).chunk(3, -1))
        s = q @ k.transpose(-1, -2) / math.sqrt(c // self.h)
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), -torch.inf)
        return self.merge((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm(x, 0))
        return x + self.mlp(self.norm(x, 1))
