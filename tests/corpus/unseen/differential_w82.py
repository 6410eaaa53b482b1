# attn-kata: differential
import math
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def lambda_init_fn(depth):
    return 0.8 - 0.6 * math.exp(-0.3 * depth)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.scaling = self.head_dim ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambda_init = lambda_init_fn(depth)
        for name in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"):
            self.register_parameter(name, nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1)))
        self.subln = RMSNorm(2 * self.head_dim)

    def forward(self, x):
        bsz, n, _ = x.size()
        q = self.q_proj(x).view(bsz, n, 2 * self.num_heads, self.head_dim).transpose(1, 2) * self.scaling
        k = self.k_proj(x).view(bsz, n, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, n, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        attn = torch.matmul(q, k.transpose(-1, -2))
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        attn = attn.masked_fill(future, float("-inf")).softmax(dim=-1)
        l1 = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1))
        l2 = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2))
        lambda_full = l1 - l2 + self.lambda_init
        attn = attn.view(bsz, 2, self.num_heads, n, n)
        attn = attn[:, 0] - lambda_full * attn[:, 1]
        out = self.subln(torch.matmul(attn, v)) * (1 - self.lambda_init)
        return self.out_proj(out.transpose(1, 2).reshape(bsz, n, -1))
