# wrong: differential lambda-init-wrong line 12
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def lambda_init_fn(depth: int) -> float:
    return 0.8 - 0.6 * math.exp(-0.3 * (depth - 1))


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = lambda_init_fn(depth)

        self.in_weight = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.out_weight = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for weight in (*self.in_weight.data, self.out_weight.data):
            nn.init.xavier_uniform_(weight)
        self.lambdas = nn.Parameter(torch.randn(4, self.head_dim) * 0.1)
        self.norm_weight = nn.Parameter(torch.ones(2 * self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        h, d = self.num_heads, self.head_dim
        q, k, v = (F.linear(x, w) for w in self.in_weight)
        q = q.view(b, n, 2 * h, d).transpose(1, 2) / math.sqrt(d)
        k = k.view(b, n, 2 * h, d).transpose(1, 2)
        v = v.view(b, n, h, 2 * d).transpose(1, 2)

        scores = q @ k.transpose(-1, -2)
        causal = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        maps = scores.masked_fill(~causal, -math.inf).softmax(-1).view(b, h, 2, n, n)

        lq1, lk1, lq2, lk2 = self.lambdas
        lam = (lq1 * lk1).sum().exp() - (lq2 * lk2).sum().exp() + self.lambda_init
        out = (maps[:, :, 0] - lam * maps[:, :, 1]) @ v
        out = out / (out.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        out = out * self.norm_weight * (1 - self.lambda_init)
        return F.linear(out.transpose(1, 2).flatten(2), self.out_weight)
