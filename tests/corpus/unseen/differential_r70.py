"""Diff attention with DenseGeneral-like kernels: queries [C, H, 2, D], values [C, H, 2D]."""
import math

import torch
from torch import nn


class _RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        ms = torch.mean(torch.square(x), dim=-1, keepdim=True)
        return x / torch.sqrt(ms + self.eps) * self.scale


class _Lambda(nn.Module):
    def __init__(self, dim, init):
        super().__init__()
        self.init = init
        for name in ("q1", "k1", "q2", "k2"):
            self.register_parameter(name, nn.Parameter(torch.empty(dim).normal_(0, 0.1)))

    def forward(self):
        one = torch.exp(torch.dot(self.q1, self.k1))
        two = torch.exp(torch.dot(self.q2, self.k2))
        return one - two + self.init


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        d = hidden_dim // num_heads // 2

        def kernel(*shape):
            return nn.Parameter(torch.randn(shape) * hidden_dim**-0.5)

        self.q = kernel(hidden_dim, num_heads, 2, d)
        self.k = kernel(hidden_dim, num_heads, 2, d)
        self.v = kernel(hidden_dim, num_heads, 2 * d)
        self.o = kernel(num_heads, 2 * d, hidden_dim)
        self.lam = _Lambda(d, 0.8 - 0.6 * math.exp(-0.3 * depth))
        self.norm = _RMSNorm(2 * d)

    def forward(self, x):
        q = torch.einsum("btc,chmd->bhmtd", x, self.q)
        k = torch.einsum("bsc,chmd->bhmsd", x, self.k)
        v = torch.einsum("bsc,chv->bhsv", x, self.v)
        logits = torch.einsum("bhmtd,bhmsd->mbhts", q, k) * q.shape[-1] ** -0.5
        pos = torch.arange(x.shape[1], device=x.device)
        logits = torch.where(pos[:, None] >= pos, logits, -torch.inf)
        a1, a2 = torch.softmax(logits, dim=-1)
        # (A1 - lam A2) V = A1 V - lam A2 V
        head = torch.einsum("bhts,bhsv->bhtv", a1, v) - self.lam() * torch.einsum("bhts,bhsv->bhtv", a2, v)
        head = (1 - self.lam.init) * self.norm(head)
        return torch.einsum("bhtv,hvc->btc", head, self.o)
