import math

import torch
import torch.nn.functional as F
from torch import nn


def lambda_init_fn(layer):
    return 0.8 - 0.6 * math.exp(-0.3 * (layer - 1))


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.lambda_init = lambda_init_fn(depth)
        self.lambda_q1 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.norm_weight = nn.Parameter(torch.ones(2 * self.d))

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, 2 * self.h, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, n, 2 * self.h, self.d).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.h, 2 * self.d).transpose(1, 2)
        a = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        a = a + torch.full((n, n), float("-inf"), dtype=a.dtype, device=a.device).triu(1)
        a = F.softmax(a, dim=-1).view(b, self.h, 2, n, n)
        lam1 = torch.exp(torch.dot(self.lambda_q1, self.lambda_k1))
        lam2 = torch.exp(torch.dot(self.lambda_q2, self.lambda_k2))
        lam = lam1 - lam2 + self.lambda_init
        y = (a[:, :, 0] - lam * a[:, :, 1]) @ v
        y = F.rms_norm(y, (2 * self.d,), self.norm_weight, 1e-5) * (1 - self.lambda_init)
        return self.o_proj(y.transpose(1, 2).reshape(b, n, -1))
