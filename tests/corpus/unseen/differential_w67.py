import math
from functools import partial

import torch
from torch import nn

causal_softmax = lambda s: s.masked_fill(
    torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1), -math.inf
).softmax(-1)


def parts(n, t):
    return t.reshape(*t.shape[:2], n, -1).transpose(1, 2)


class RMS(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.n = num_heads
        self.hd = hidden_dim // (2 * num_heads)
        self.l0 = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        vec = lambda: nn.Parameter(torch.randn(self.hd).mul(0.1))
        self.lq1, self.lk1, self.lq2, self.lk2 = vec(), vec(), vec(), vec()
        self.norm = RMS(2 * self.hd, 1e-5)

    @property
    def lam(self):
        return (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.l0

    def forward(self, x):
        double = partial(parts, 2 * self.n)
        q1, q2 = double(self.q(x)).chunk(2, dim=1)
        k1, k2 = double(self.k(x)).chunk(2, dim=1)
        v = parts(self.n, self.v(x))
        a1, a2 = (causal_softmax(q @ k.mT / math.sqrt(self.hd)) for q, k in ((q1, k1), (q2, k2)))
        head = (1 - self.l0) * self.norm((a1 - self.lam * a2) @ v)
        return self.o(head.transpose(1, 2).flatten(2))
