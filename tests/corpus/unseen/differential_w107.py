import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.heads = num_heads
        self.dim = hidden_dim // (2 * num_heads)
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambdas = nn.Parameter(torch.randn(2, 2, self.dim) * 0.1)     # pair, query or key, feature
        self.gain = nn.Parameter(torch.ones(2 * self.dim))

    def split_maps(self, t):
        # b n e -> maps b heads n d
        return t.unflatten(-1, (2, self.heads, self.dim)).permute(2, 0, 3, 1, 4)

    def rms(self, y):
        return y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-5) * self.gain

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k = map(self.split_maps, (q, k))
        v = v.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        n = x.shape[1]
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        first, second = (q @ k.mT / self.dim ** 0.5).masked_fill(future, -torch.inf).softmax(-1)
        plus, minus = self.lambdas.prod(dim=1).sum(-1).exp()
        out = (first - (plus - minus + self.init) * second) @ v
        out = self.rms(out) * (1 - self.init)
        return self.to_out(out.transpose(1, 2).flatten(2))
