import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def lambda_init_fn(depth):
    return 0.8 - 0.6 * math.exp(-0.3 * depth)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambda_init = lambda_init_fn(depth)
        self.lambda_q1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.subln = RMSNorm(2 * self.head_dim)

    def forward(self, x):
        bsz, n, d = x.size()
        q = self.q_proj(x).view(bsz, n, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, n, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, n, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        a = torch.matmul(q * self.head_dim ** -0.5, k.transpose(-1, -2))
        a = a + torch.triu(torch.full((n, n), float("-inf"), device=x.device, dtype=a.dtype), 1)
        a = F.softmax(a, dim=-1).view(bsz, self.num_heads, 2, n, n)
        lam1 = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1))
        lam2 = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2))
        lam = lam1 - lam2 + self.lambda_init
        a = a[:, :, 0] - lam * a[:, :, 1]
        out = self.subln(torch.matmul(a, v))
        out = out * self.lambda_init
        return self.out_proj(out.transpose(1, 2).reshape(bsz, n, d))
