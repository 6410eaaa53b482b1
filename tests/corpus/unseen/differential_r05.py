import math

import torch
from torch import Tensor, nn


class HeadNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, u: Tensor) -> Tensor:
        return self.weight * u * torch.rsqrt(u.pow(2).mean(-1, keepdim=True) + self.eps)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)

        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

        self.lambda_q1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.subln = HeadNorm(2 * self.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        h, d = self.num_heads, self.head_dim
        q = self.q_proj(x).view(b, t, 2 * h, d).transpose(1, 2)
        k = self.k_proj(x).view(b, t, 2 * h, d).transpose(1, 2)
        v = self.v_proj(x).view(b, t, h, 2 * d).transpose(1, 2)

        att = (q / math.sqrt(d)) @ k.transpose(-1, -2)
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        att = att.masked_fill(future, float("-inf")).softmax(dim=-1)

        lam1 = torch.exp(self.lambda_q1 @ self.lambda_k1)
        lam2 = torch.exp(self.lambda_q2 @ self.lambda_k2)
        lam = lam1 - lam2 + self.lambda_init
        att = att.view(b, h, 2, t, t)
        att = att[:, :, 0] - lam * att[:, :, 1]

        y = self.subln(att @ v) * (1 - self.lambda_init)
        return self.out_proj(y.transpose(1, 2).reshape(b, t, c))
