import math

import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.g = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, u):
        return u / (u.square().mean(dim=-1, keepdim=True) + self.eps).sqrt() * self.g


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.norm = RMSNorm(self.d)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        q, k = self.norm(q), self.norm(k)
        s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d)
        s = s.masked_fill(torch.triu(torch.ones(t, t, device=x.device), diagonal=1).bool(), float("-inf"))
        y = torch.matmul(F.softmax(s, dim=-1), v)
        y = y.permute(0, 2, 1, 3).reshape(b, t, c)
        return self.proj(y)
