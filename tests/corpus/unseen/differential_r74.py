import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    """The two maps of a head are an axis of two, contracted with (1, -lambda)."""

    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0, f"{hidden_dim} / {2 * num_heads}?"
        d = hidden_dim // (2 * num_heads)
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qk = nn.Parameter(torch.randn(2, num_heads, 2, d, hidden_dim) * hidden_dim ** -0.5)
        self.v = nn.Parameter(torch.randn(num_heads, 2 * d, hidden_dim) * hidden_dim ** -0.5)
        self.o = nn.Parameter(torch.randn(num_heads, 2 * d, hidden_dim) * hidden_dim ** -0.5)
        self.l = nn.Parameter(torch.randn(2, 2, d) * 0.1)           # [map, query or key, feature]
        self.gain = nn.Parameter(torch.zeros(2 * d))                # less 1

    def coefficients(self):
        e = self.l.prod(dim=1).sum(-1).exp()
        lam = e[0] - e[1] + self.init
        return torch.stack((torch.ones_like(lam), -lam))

    def forward(self, x):
        q, k = torch.einsum("btc,zhmdc->zbhmtd", x, self.qk)
        v = torch.einsum("btc,hec->bhte", x, self.v)
        s = torch.einsum("bhmtd,bhmsd->bhmts", q, k) / math.sqrt(q.shape[-1])
        t = torch.arange(x.shape[1], device=x.device)
        maps = s.masked_fill(t[:, None] < t, -math.inf).softmax(-1)
        y = torch.einsum("m,bhmts,bhse->bhte", self.coefficients(), maps, v)
        y = y / (y.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * (1 + self.gain)
        return torch.einsum("bhte,hec->btc", y * (1 - self.init), self.o)
