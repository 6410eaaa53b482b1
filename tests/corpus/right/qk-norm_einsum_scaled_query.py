# right: qk-norm
"""b batch, t and s positions, h heads, d features of a head"""
import torch
from torch import einsum, nn


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h, self.d = heads, dim // heads
        self.wq, self.wk, self.wv, self.wo = (nn.Parameter(torch.randn(dim, dim) / dim**0.5) for _ in range(4))
        self.gq = nn.Parameter(torch.ones(self.d))
        self.gk = nn.Parameter(torch.ones(self.d))

    def forward(self, x):
        q, k, v = ((x @ w).unflatten(-1, (self.h, self.d)) for w in (self.wq, self.wk, self.wv))
        q = q * (q.pow(2).mean(-1, keepdim=True) + 1e-6).pow(-0.5) * (self.gq * self.d**-0.5)
        k = k * (k.pow(2).mean(-1, keepdim=True) + 1e-6).pow(-0.5) * self.gk
        s = einsum("bthd,bshd->bhts", q, k)
        t = torch.arange(x.shape[1], device=x.device)
        s = torch.where(t[None, :] <= t[:, None], s, -torch.inf)
        out = einsum("bhts,bshd->bthd", s.softmax(-1), v)
        return out.flatten(2) @ self.wo
