"""Attention with unit-length queries and keys, like normalize() in a shader."""
from math import sqrt

import torch
from torch import nn
from torch.nn.functional import normalize


def unit_rms(v, gain):
    # a vector of length sqrt(n) has a mean square of 1
    return normalize(v, dim=-1) * sqrt(v.shape[-1]) * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.dim = hidden_dim // num_heads
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_gain = nn.Parameter(torch.ones(self.dim))
        self.key_gain = nn.Parameter(torch.ones(self.dim))

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.fused(x).reshape(b, n, 3, self.heads, self.dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        q = unit_rms(q, self.query_gain)
        k = unit_rms(k, self.key_gain)
        s = q @ k.mT / sqrt(self.dim)
        lower = torch.tril(torch.ones(n, n, dtype=torch.bool, device=x.device))
        s = torch.where(lower, s, -torch.inf)
        s = s - s.amax(dim=-1, keepdim=True)
        w = s.exp()
        w = w / w.sum(dim=-1, keepdim=True)
        return self.out((w @ v).transpose(1, 2).reshape(b, n, c))
