import math

import torch
import torch.nn.functional as F
from torch import nn


class HeadNorm(nn.Module):
    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, u):
        wide = u.float() if u.dtype in (torch.float16, torch.bfloat16) else u
        rms = torch.sqrt(wide.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return (wide / rms).type_as(u) * self.weight


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.depth = depth
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambdas = nn.ParameterList(
            [nn.Parameter(torch.randn(self.head_dim).mul(0.1)) for _ in range(4)]
        )
        self.subln = HeadNorm(2 * self.head_dim)

    @property
    def lambda_init(self):
        return 0.8 - 0.6 * math.exp(-0.3 * self.depth)

    def softmax_map(self, q, k):
        length = q.shape[1]
        bias = q.new_zeros(length, length)
        bias = bias.masked_fill(torch.ones_like(bias).triu(1) > 0, -math.inf)
        return torch.baddbmm(bias, q, k.transpose(1, 2), alpha=self.head_dim**-0.5).softmax(2)

    def forward(self, x):
        # 2 * num_heads narrow parts of queries and keys, num_heads wide parts of values
        qs = self.q_proj(x).split(self.head_dim, dim=-1)
        ks = self.k_proj(x).split(self.head_dim, dim=-1)
        vs = self.v_proj(x).split(2 * self.head_dim, dim=-1)
        lq1, lk1, lq2, lk2 = self.lambdas
        lam = torch.exp(lq1.dot(lk1)) - torch.exp(lq2.dot(lk2)) + self.lambda_init
        heads = []
        for h in range(self.num_heads):
            first = self.softmax_map(qs[2 * h], ks[2 * h])
            second = self.softmax_map(qs[2 * h + 1], ks[2 * h + 1])
            head = (first - lam * second) @ vs[h]
            heads.append((1.0 - self.lambda_init) * self.subln(head))
        return F.linear(torch.cat(heads, dim=-1), self.out_proj.weight)
