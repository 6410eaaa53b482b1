import math

import torch
from torch import Tensor, nn


class HeadRMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, u: Tensor) -> Tensor:
        with torch.set_grad_enabled(self.training):
            inverse = torch.rsqrt(u.square().mean(dim=-1, keepdim=True) + self.eps)
        return u * inverse * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.q, self.k, self.v = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(3))
        self.q_norm, self.k_norm = HeadRMSNorm(self.head_dim), HeadRMSNorm(self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        split = (b, n, self.heads, self.head_dim)
        q = self.q_norm(self.q(x).view(split)).transpose(1, 2)
        k = self.k_norm(self.k(x).view(split)).transpose(1, 2)
        v = self.v(x).view(split).transpose(1, 2)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        ahead = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(ahead, -math.inf).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, c))
