from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    """One gain tensor (2, 1, 1, head_dim), one stacked projection, Gemma's 1 + w."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.w_in = nn.Parameter(torch.randn(3, num_heads, hidden_dim, d) / math.sqrt(hidden_dim))
        self.gains = nn.Parameter(torch.zeros(2, 1, 1, 1, d))
        self.w_out = nn.Parameter(torch.randn(num_heads, d, hidden_dim) / math.sqrt(hidden_dim))

    def forward(self, x: Tensor) -> Tensor:
        qkv = torch.einsum("btc,phcd->pbhtd", x, self.w_in)
        qk, v = qkv[:2], qkv[2]
        power = torch.linalg.vector_norm(qk, dim=-1, keepdim=True).square() / qk.shape[-1]
        q, k = qk * torch.rsqrt(power + 1e-6) * (self.gains + 1)
        t = x.shape[1]
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
        s = s.masked_fill(~torch.ones(t, t, dtype=torch.bool, device=x.device).tril(), -math.inf)
        return torch.einsum("bhqk,bhkd,hdc->bqc", s.softmax(-1), v, self.w_out)
