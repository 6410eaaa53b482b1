# right: cross
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class CrossAttention(nn.Module):
    def __init__(self, dim, head_dim):
        super().__init__()
        self.q = nn.Linear(dim, head_dim, bias=False)
        self.k = nn.Linear(dim, head_dim, bias=False)
        self.v = nn.Linear(dim, head_dim, bias=False)

    def forward(self, x, context, mask=None):
        q, k, v = self.q(x), self.k(context), self.v(context)
        s = q @ k.mT * q.size(-1) ** -0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e4)
        return s.softmax(-1) @ v

class MultiHeadCrossAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = nn.ModuleList([CrossAttention(dim, dim // heads) for _ in range(heads)])
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, context, mask=None):
        return self.proj(torch.cat([h(x, context, mask) for h in self.heads], -1))
