from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def lambda_init_fn(depth: int) -> float:
    """Eq. (3) of the paper."""
    return 0.8 - 0.6 * math.exp(-0.3 * (depth - 1))


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0
        self.h, self.d = num_heads, hidden_dim // (2 * num_heads)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=True)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.lam = nn.Parameter(torch.empty(4, self.d))     # lq1, lk1, lq2, lk2
        nn.init.normal_(self.lam, std=0.1)
        self.norm = nn.RMSNorm(2 * self.d, eps=1e-5)
        self.lambda_init = lambda_init_fn(depth)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(C, dim=2)
        q1, q2 = q.reshape(B, T, self.h, 2, self.d).permute(3, 0, 2, 1, 4)
        k1, k2 = k.reshape(B, T, self.h, 2, self.d).permute(3, 0, 2, 1, 4)
        v = v.reshape(B, T, self.h, 2 * self.d).permute(0, 2, 1, 3)
        mask = torch.full((T, T), float("-inf"), device=x.device, dtype=x.dtype).triu(1)

        def attn_map(a: Tensor, b: Tensor) -> Tensor:
            return F.softmax(a @ b.mT / math.sqrt(self.d) + mask, dim=-1)

        lq1, lk1, lq2, lk2 = self.lam
        lam = torch.exp(torch.dot(lq1, lk1)) - torch.exp(torch.dot(lq2, lk2)) + self.lambda_init
        y = (attn_map(q1, k1) - lam * attn_map(q2, k2)) @ v
        y = self.norm(y) * (1.0 - self.lambda_init)
        return self.proj(y.transpose(1, 2).flatten(2))
