# attn-kata: differential
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


# 差分注意力：两张 softmax 图相减，抵消共同的噪声
class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.lam_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lq2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.g = nn.Parameter(torch.ones(2 * self.head_dim))   # RMSNorm 的权重，所有头共用

    def rms_norm(self, y: Tensor) -> Tensor:
        t = y.float() if y.dtype in (torch.float16, torch.bfloat16) else y
        t = t / torch.sqrt((t * t).mean(dim=-1, keepdim=True) + 1e-5)
        return t.to(y.dtype) * self.g

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q = self.Wq(x).reshape(b, n, self.num_heads, 2, self.head_dim)
        k = self.Wk(x).reshape(b, n, self.num_heads, 2, self.head_dim)
        v = self.Wv(x).reshape(b, n, self.num_heads, 2 * self.head_dim).transpose(1, 2)

        # 相邻的两份属于同一个头
        q1, q2 = q[:, :, :, 0].transpose(1, 2), q[:, :, :, 1].transpose(1, 2)
        k1, k2 = k[:, :, :, 0].transpose(1, 2), k[:, :, :, 1].transpose(1, 2)

        s1 = q1 @ k1.transpose(-1, -2) / math.sqrt(self.head_dim)
        s2 = q2 @ k2.transpose(-1, -2) / math.sqrt(self.head_dim)
        mask = torch.triu(torch.ones(n, n, device=x.device), 1).bool()
        a1 = torch.softmax(s1.masked_fill(mask, float("-inf")), dim=-1)
        a2 = torch.softmax(s2.masked_fill(mask, float("-inf")), dim=-1)

        lam = torch.exp(self.lq1 @ self.lk1) - torch.exp(self.lq2 @ self.lk2) + self.lam_init
        y = (a1 - lam * a2) @ v                                # (b, h, n, 2d)
        y = (1 - lam) * self.rms_norm(y)
        y = y.transpose(1, 2).reshape(b, n, c)
        return self.Wo(y)
