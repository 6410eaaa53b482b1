import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))
        self.lam = nn.Parameter(torch.randn(2, 2, self.hd) * 0.1)     # [pair, q/k, feature]
        self.subln = nn.RMSNorm(2 * self.hd, eps=1e-5)

    @property
    def signs(self):
        """(1, -lambda): the two maps' coefficients"""
        e1, e2 = self.lam.prod(dim=1).sum(-1).exp()
        lam = e1 - e2 + self.lambda_init
        return torch.stack((torch.ones_like(lam), -lam))

    def forward(self, x):
        b, t, c = x.shape
        q = self.q(x).view(b, t, self.nh, 2, self.hd)
        k = self.k(x).view(b, t, self.nh, 2, self.hd)
        v = self.v(x).view(b, t, self.nh, 2 * self.hd)
        s = torch.einsum("bqhmd,bkhmd->bhmqk", q, k) / math.sqrt(self.hd)
        s = s.masked_fill(torch.ones(t, t, device=x.device).tril().logical_not(), -math.inf)
        y = torch.einsum("bhmqk,m,bkhe->bqhe", s.softmax(-1), self.signs, v)
        return self.o((self.subln(y) * (1 - self.lambda_init)).reshape(b, t, c))
