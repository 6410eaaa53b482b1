# right: differential
# Differential attention with raw parameters and einsum; letters: n batch, s query, t key,
# c model width, h head, m map (0 or 1), e map width, f value width
from math import exp

import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        e = hidden_dim // num_heads // 2
        std = hidden_dim**-0.5
        self.p = nn.ParameterDict(
            {
                "qk": nn.Parameter(torch.randn(2, hidden_dim, num_heads, 2, e) * std),
                "v": nn.Parameter(torch.randn(hidden_dim, num_heads, 2 * e) * std),
                "o": nn.Parameter(torch.randn(num_heads, 2 * e, hidden_dim) * std),
                "lq1": nn.Parameter(torch.zeros(e).normal_(std=0.1)),
                "lk1": nn.Parameter(torch.zeros(e).normal_(std=0.1)),
                "lq2": nn.Parameter(torch.zeros(e).normal_(std=0.1)),
                "lk2": nn.Parameter(torch.zeros(e).normal_(std=0.1)),
                "g": nn.Parameter(torch.ones(2 * e)),
            }
        )
        self.lambda_init = 0.8 - 0.6 * exp(-0.3 * depth)

    def lam(self):
        p = self.p
        return (p["lq1"] * p["lk1"]).sum().exp() - (p["lq2"] * p["lk2"]).sum().exp() + self.lambda_init

    def forward(self, x):
        p = self.p
        q, k = torch.einsum("nsc,zchme->znhmse", x, p["qk"])
        v = torch.einsum("ntc,chf->nhtf", x, p["v"])
        s = torch.einsum("nhmse,nhmte->nhmst", q * q.shape[-1] ** -0.5, k)
        pos = torch.arange(x.shape[1], device=x.device)
        s = torch.where(pos[:, None] >= pos, s, -torch.inf)
        sign = torch.stack([torch.ones_like(self.lam()), -self.lam()])
        w = torch.einsum("nhmst,m->nhst", s.softmax(-1), sign)
        y = torch.einsum("nhst,nhtf->nshf", w, v)
        y = y / torch.sqrt((y * y).mean(-1, keepdim=True) + 1e-5) * p["g"]
        return torch.einsum("nshf,hfc->nsc", (1 - self.lambda_init) * y, p["o"])
