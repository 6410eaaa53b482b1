from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def causal_softmax(scores: Tensor) -> Tensor:
    n = scores.shape[-1]
    keep = torch.ones(n, n, dtype=torch.bool, device=scores.device).tril()
    return scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.start = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.lq1, self.lk1, self.lq2, self.lk2 = (
            nn.Parameter(torch.empty(self.d).normal_(std=0.1)) for _ in range(4)
        )
        self.gain = nn.Parameter(torch.ones(2 * self.d))

    @property
    def lam(self) -> Tensor:
        return (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.start

    def norm(self, head: Tensor) -> Tensor:
        return head * (head.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * self.gain

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k = (t.unflatten(-1, (self.heads, 2, self.d)) for t in (q, k))
        v = v.unflatten(-1, (self.heads, 2 * self.d))
        scores = torch.einsum("bihpd,bjhpd->pbhij", q, k) / self.d**0.5
        first, second = causal_softmax(scores)
        lam = self.lam
        head = torch.einsum("bhij,bjhd->bihd", first - lam * second, v)
        head = self.norm(head) * (1 - lam)
        return self.out(head.flatten(2))
