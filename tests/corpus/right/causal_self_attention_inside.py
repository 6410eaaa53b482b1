# right: causal
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class SelfAttention(nn.Module):
    def __init__(self, dim, head_dim, block_size):
        super().__init__()
        self.q = nn.Linear(dim, head_dim, bias=False)
        self.k = nn.Linear(dim, head_dim, bias=False)
        self.v = nn.Linear(dim, head_dim, bias=False)
        self.register_buffer('tri', torch.ones(block_size, block_size).tril())

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        s = q @ k.mT * q.size(-1) ** -0.5
        t = x.size(1)
        s = s.masked_fill(self.tri[:t, :t] == 0, -1e4)
        return s.softmax(-1) @ v

class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads, block_size):
        super().__init__()
        self.heads = nn.ModuleList([SelfAttention(dim, dim // heads, block_size) for _ in range(heads)])
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], -1))
