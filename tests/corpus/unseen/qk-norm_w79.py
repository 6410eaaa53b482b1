from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

EPS = 1e-6


class HeadNorm(nn.Module):
    """RMSNorm over head_dim, one gain for all heads."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(head_dim))

    def forward(self, u: Tensor) -> Tensor:
        if not torch.is_grad_enabled():
            # one kernel, nothing has to be kept for the way back
            return F.rms_norm(u, self.gain.shape, self.gain)
        mean_square = u.square().mean(dim=-1, keepdim=True)
        return u * (mean_square + EPS).rsqrt() * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = HeadNorm(self.head_dim)
        self.k_norm = HeadNorm(self.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k = self.q_norm(q), self.k_norm(k)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        ahead = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(ahead, float("-inf")).softmax(-1)
        return self.to_out((weights @ v).transpose(1, 2).reshape(b, n, c))
