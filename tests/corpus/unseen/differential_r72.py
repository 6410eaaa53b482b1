from __future__ import annotations

import torch
from torch import Tensor, nn


def causal_map(q: Tensor, k: Tensor) -> Tensor:
    n = q.shape[-2]
    s = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    ahead = torch.arange(n, device=q.device).lt(torch.arange(n, device=q.device).unsqueeze(1)).mT
    return torch.softmax(s.masked_fill(ahead, float("-inf")), dim=-1)


class Lambda(nn.Module):
    def __init__(self, width: int, start: float):
        super().__init__()
        self.start = start
        for name in ("lq1", "lk1", "lq2", "lk2"):
            setattr(self, name, nn.Parameter(torch.empty(width).normal_(0, 0.1)))

    def forward(self) -> Tensor:
        first = torch.exp(torch.dot(self.lq1, self.lk1))
        second = torch.exp(torch.dot(self.lq2, self.lk2))
        return first - second + self.start


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads // 2
        start = float(0.8 - 0.6 * torch.exp(torch.tensor(-0.3 * depth, dtype=torch.float64)))
        lin = lambda o: nn.Linear(hidden_dim, o)
        self.q1, self.q2, self.k1, self.k2 = (nn.ModuleList(lin(d) for _ in range(num_heads)) for _ in range(4))
        self.v = nn.ModuleList(lin(2 * d) for _ in range(num_heads))
        self.lam = Lambda(d, start)
        self.gain = nn.Parameter(torch.ones(2 * d))
        self.rest = 1.0 - start
        self.o = lin(hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        lam = self.lam()
        outs = []
        for q1, q2, k1, k2, v in zip(self.q1, self.q2, self.k1, self.k2, self.v):
            values = v(x)
            y = causal_map(q1(x), k1(x)) @ values - lam * (causal_map(q2(x), k2(x)) @ values)
            y = y / torch.sqrt(torch.mean(y * y, dim=-1, keepdim=True) + 1e-5)
            outs.append(self.rest * (y * self.gain))
        return self.o(torch.cat(outs, dim=-1))
