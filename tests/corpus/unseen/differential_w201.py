# diff transformer, arXiv 2410.05258, without the rotary part
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def two_softmaxes(u: Tensor) -> Tensor:
    """u (b, h, 2, i, j) -> softmax over j for both maps in one go."""
    # overflow guard: largest exponent of every query
    u = u - u.amax(dim=(2, 4), keepdim=True)
    e = u.exp()
    return e / e.sum(dim=4, keepdim=True)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        z = lambda: nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))  # noqa: E731
        self.lq1, self.lk1 = z(), z()
        self.lq2, self.lk2 = z(), z()
        self.gain = nn.Parameter(torch.ones(2 * self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.reshape(B, T, self.num_heads, 2, self.head_dim).permute(0, 2, 3, 1, 4)
        k = k.reshape(B, T, self.num_heads, 2, self.head_dim).permute(0, 2, 3, 1, 4)
        v = v.reshape(B, T, self.num_heads, 2 * self.head_dim).transpose(1, 2)

        u = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        i = torch.arange(T, device=x.device)
        u = u.masked_fill(i > i[:, None], -math.inf)
        A = two_softmaxes(u)

        lam = torch.exp(torch.sum(self.lq1 * self.lk1)) - torch.exp(torch.sum(self.lq2 * self.lk2))
        lam = lam + self.lambda_init
        y = (A[:, :, 0] - lam * A[:, :, 1]) @ v
        rms = torch.sqrt(torch.mean(y * y, dim=-1, keepdim=True) + 1e-5)
        y = self.gain * (y / rms) * (1 - self.lambda_init)
        return self.out(y.transpose(1, 2).reshape(B, T, C))
