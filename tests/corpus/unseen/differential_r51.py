from __future__ import annotations

from math import exp

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * exp(-0.3 * depth)
        # index 0: first map, index 1: second map
        self.lq = nn.ParameterList(nn.Parameter(0.1 * torch.randn(d)) for _ in range(2))
        self.lk = nn.ParameterList(nn.Parameter(0.1 * torch.randn(d)) for _ in range(2))
        self.queries, self.keys, self.values, self.out = (
            nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4)
        )
        self.gain = nn.Parameter(torch.ones(2 * d))
        self.num_heads = num_heads

    def forward(self, x: Tensor) -> Tensor:
        heads, d = self.num_heads, self.lq[0].numel()
        t = x.shape[1]
        ahead = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        q = self.queries(x).view(*x.shape[:2], 2 * heads, d)
        k = self.keys(x).view(*x.shape[:2], 2 * heads, d)
        v = self.values(x).chunk(heads, dim=-1)
        lam = [torch.exp((a * b).sum()) for a, b in zip(self.lq, self.lk)]
        lam = lam[0] - lam[1] + self.lambda_init

        done = []
        for h in range(heads):
            contexts = []
            for part in (2 * h, 2 * h + 1):
                s = torch.bmm(q[:, :, part], k[:, :, part].mT) / d**0.5
                s = s.masked_fill(ahead, -torch.inf)
                # (A1 - l A2) V = A1 V - l (A2 V)
                contexts.append(s.softmax(-1) @ v[h])
            o = contexts[0] - lam * contexts[1]
            wide = o if o.dtype == torch.float64 else o.float()
            rms = wide.square().mean(-1, keepdim=True).add(1e-5).sqrt()
            done.append((wide / rms).to(o.dtype) * self.gain * (1 - self.lambda_init))
        return self.out(torch.cat(done, -1))
