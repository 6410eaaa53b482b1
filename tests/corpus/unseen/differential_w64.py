# attn-kata: differential
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Lambda(nn.Module):
    def __init__(self, dim: int, depth: int):
        super().__init__()
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q = nn.ParameterList([nn.Parameter(torch.randn(dim) * 0.1) for _ in range(2)])
        self.k = nn.ParameterList([nn.Parameter(torch.randn(dim) * 0.1) for _ in range(2)])

    def forward(self) -> float:
        plus, minus = (math.exp(torch.dot(q, k).item()) for q, k in zip(self.q, self.k))
        return plus - minus + self.init


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.lam = Lambda(hidden_dim // (2 * num_heads), depth)
        self.norm_weight = nn.Parameter(torch.ones(hidden_dim // num_heads))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        q, k = (t.unflatten(-1, (self.num_heads, 2, -1)).permute(3, 0, 2, 1, 4) for t in (q, k))
        v = v.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        scores = q @ k.mT / math.sqrt(q.shape[-1])
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(diagonal=1)
        first, second = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        heads = (first - self.lam() * second) @ v

        heads = F.rms_norm(heads, heads.shape[-1:], self.norm_weight, 1e-5)
        heads = heads * (1 - self.lam.init)
        return self.out_proj(heads.transpose(1, 2).flatten(2))
