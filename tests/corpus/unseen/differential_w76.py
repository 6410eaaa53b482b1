from __future__ import annotations

import math

import torch
from einops import rearrange
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.dim = hidden_dim // num_heads // 2
        self.l0 = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.lambdas = nn.ParameterDict({n: nn.Parameter(0.1 * torch.randn(self.dim)) for n in ("q1", "k1", "q2", "k2")})
        self.head_norm = nn.RMSNorm(2 * self.dim, eps=1e-5)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def lam(self) -> Tensor:
        p = self.lambdas
        return torch.exp((p["q1"] * p["k1"]).sum()) - torch.exp((p["q2"] * p["k2"]).sum()) + self.l0

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k = (rearrange(t, "b n (h two d) -> two b h n d", two=2, h=self.heads) for t in (q, k))
        v = rearrange(v, "b n (h e) -> b h n e", h=self.heads)
        n = x.shape[1]
        mask = torch.ones(n, n, device=x.device, dtype=torch.bool).triu(1)
        s1 = torch.einsum("bhid,bhjd->bhij", q[0], k[0]) / math.sqrt(self.dim)
        s2 = torch.einsum("bhid,bhjd->bhij", q[1], k[1]) / math.sqrt(self.dim)
        attn = (s1 - self.lam() * s2).masked_fill(mask, -torch.inf).softmax(dim=-1)
        out = self.head_norm(torch.einsum("bhij,bhje->bhie", attn, v)) * (1 - self.l0)
        return self.to_out(rearrange(out, "b h n e -> b n (h e)"))
