"""Weights per head: q, k (heads, hidden, 2, d); lam (map, q/k, d). lambda as one signed sum."""
import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        d = hidden_dim // (2 * num_heads)
        std = hidden_dim ** -0.5
        self.q = nn.Parameter(torch.randn(num_heads, hidden_dim, 2, d) * std)
        self.k = nn.Parameter(torch.randn(num_heads, hidden_dim, 2, d) * std)
        self.v = nn.Parameter(torch.randn(num_heads, hidden_dim, 2 * d) * std)
        self.o = nn.Parameter(torch.randn(num_heads, 2 * d, hidden_dim) * std)
        self.lam = nn.Parameter(torch.randn(2, 2, d) * 0.1)
        self.g = nn.Parameter(torch.ones(2 * d))
        self.start = 0.2 + 0.6 * -math.expm1(-0.3 * depth)

    def forward(self, x):
        q = torch.einsum("btc,hcmd->bhmtd", x, self.q)
        k = torch.einsum("btc,hcmd->bhmtd", x, self.k)
        v = torch.einsum("btc,hce->bhte", x, self.v)
        s = torch.einsum("bhmid,bhmjd->bhmij", q * q.shape[-1] ** -0.5, k)
        n = x.shape[1]
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        e = self.lam.prod(dim=1).sum(dim=-1).exp()
        lam = e[0] - e[1] + self.start
        mix = torch.stack((torch.ones_like(lam), -lam))
        y = torch.einsum("m,bhmij,bhje->bhie", mix, s.softmax(-1), v)
        y = nn.functional.rms_norm(y, y.shape[-1:], self.g, 1e-5) * (1 - self.start)
        return torch.einsum("bhie,hec->bic", y, self.o)
