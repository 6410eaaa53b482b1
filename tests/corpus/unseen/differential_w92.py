from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq1, self.lk1, self.lq2, self.lk2 = (
            nn.Parameter(torch.randn(self.head_dim) * 0.1) for _ in range(4)
        )
        self.norm = nn.RMSNorm(2 * self.head_dim, eps=1e-5)

    @staticmethod
    def _term(lq: Tensor, lk: Tensor) -> Tensor:
        return (lq * lk).exp().sum()

    def _lambda(self) -> Tensor:
        return self._term(self.lq1, self.lk1) - self._term(self.lq2, self.lk2) + self.lambda_init

    def _maps(self, x: Tensor) -> Tensor:
        q, k = (p(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for p in (self.q_proj, self.k_proj))
        n = x.shape[1]
        late = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores = (q @ k.mT / math.sqrt(self.head_dim)).masked_fill(late, float("-inf"))
        return scores.softmax(-1).unflatten(1, (self.num_heads, 2))

    def forward(self, x: Tensor) -> Tensor:
        first, second = self._maps(x).unbind(2)
        v = self.v_proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        heads = (first - self._lambda() * second) @ v
        heads = self.norm(heads) * (1 - self.lambda_init)
        return self.o_proj(heads.transpose(1, 2).flatten(2))
