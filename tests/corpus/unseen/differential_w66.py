# attn-kata: differential
from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def causal_softmax(q: Tensor, k: Tensor) -> Tensor:
    logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.size(-1) ** -0.5
    t = torch.arange(q.size(2), device=q.device)
    return F.softmax(logits.where(t[:, None] >= t, logits.new_tensor(-torch.inf)), dim=-1)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.head_norm = nn.RMSNorm(2 * self.dim, eps=1e-5)
        self.lq1 = nn.Parameter(torch.randn(self.dim).mul_(0.1))
        self.lk1 = nn.Parameter(torch.randn(self.dim).mul_(0.1))
        self.lq2 = nn.Parameter(torch.randn(self.dim).mul_(0.1))
        self.lk2 = nn.Parameter(torch.randn(self.dim).mul_(0.1))

    def pairs(self, t: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, length, hidden) -> twice (batch, heads, length, dim)"""
        b, n, _ = t.shape
        t = t.view(b, n, self.heads, 2, self.dim).permute(3, 0, 2, 1, 4)
        return t[0], t[1]

    def wide(self, t: Tensor) -> Tensor:
        """(batch, length, hidden) -> (batch, heads, length, 2 * dim)"""
        b, n, _ = t.shape
        t = t.view(b, n, 2, self.heads, self.dim).permute(0, 3, 1, 2, 4)
        return t.flatten(3)

    def forward(self, x: Tensor) -> Tensor:
        q1, q2 = self.pairs(self.Wq(x))
        k1, k2 = self.pairs(self.Wk(x))
        v = self.wide(self.Wv(x))
        lam = torch.exp(self.lq1.dot(self.lk1)) - torch.exp(self.lq2.dot(self.lk2)) + self.lambda_init
        context = causal_softmax(q1, k1) @ v - lam * (causal_softmax(q2, k2) @ v)
        context = (1.0 - self.lambda_init) * self.head_norm(context)
        return self.Wo(context.permute(0, 2, 1, 3).reshape(x.shape))
