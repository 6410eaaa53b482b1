from math import exp

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        d = hidden_dim // num_heads // 2
        self.dims = num_heads, d
        self.w_q = nn.Parameter(torch.randn(num_heads, 2, hidden_dim, d) / hidden_dim**0.5)
        self.w_k = nn.Parameter(torch.randn(num_heads, 2, hidden_dim, d) / hidden_dim**0.5)
        self.w_v = nn.Parameter(torch.randn(num_heads, hidden_dim, 2 * d) / hidden_dim**0.5)
        self.w_o = nn.Parameter(torch.randn(num_heads, 2 * d, hidden_dim) / hidden_dim**0.5)
        self.lam_q1 = nn.Parameter(torch.zeros(d))
        self.lam_k1 = nn.Parameter(torch.zeros(d))
        self.lam_q2 = nn.Parameter(torch.zeros(d))
        self.lam_k2 = nn.Parameter(torch.zeros(d))
        self.gain = nn.Parameter(torch.ones(2 * d))
        self.depth = depth

    @property
    def lam_init(self):
        return 0.8 - 0.6 * exp(-0.3 * self.depth)

    def forward(self, x):
        heads, d = self.dims
        T = x.size(1)
        q = torch.einsum("bte,hmed->bhmtd", x, self.w_q)
        k = torch.einsum("bte,hmed->bhmtd", x, self.w_k)
        v = torch.einsum("bte,hed->bhtd", x, self.w_v)
        scores = q @ k.transpose(-1, -2) * d**-0.5
        ahead = torch.full((T, T), -1e9 if scores.dtype != torch.float16 else -6e4, device=x.device).triu(1)
        maps = (scores + ahead.to(scores.dtype)).softmax(-1)
        lam = (self.lam_q1 @ self.lam_k1).exp() - (self.lam_q2 @ self.lam_k2).exp() + self.lam_init
        signs = torch.stack([torch.ones_like(lam), -lam])
        mixed = torch.einsum("m,bhmts,bhsd->bhtd", signs, maps, v)
        rms = mixed.norm(dim=-1, keepdim=True) / (2 * d) ** 0.5
        normed = mixed * (rms**2 + 1e-5) ** -0.5 * self.gain
        return torch.einsum("bhtd,hde->bte", normed * (1 - self.lam_init), self.w_o)
