"""The two maps' outputs are subtracted, not the maps: (A1 - λ A2) V = A1 V - λ (A2 V)."""
from __future__ import annotations

import torch
from torch import Tensor, nn


def causal_softmax(s: Tensor) -> Tensor:
    i = torch.arange(s.size(-1), device=s.device)
    s = torch.where(i[:, None] < i, -torch.inf, s)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // (2 * num_heads)
        self.init = 0.8 - 0.6 * 2.718281828459045 ** (-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.lambdas = nn.ParameterDict(
            {name: nn.Parameter(0.1 * torch.randn(self.d)) for name in ("lq1", "lk1", "lq2", "lk2")}
        )
        self.gain = nn.Parameter(torch.ones(2 * self.d))

    def mix(self) -> Tensor:
        p = self.lambdas
        return (p["lq1"] @ p["lk1"]).exp() - (p["lq2"] @ p["lk2"]).exp() + self.init

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q1, q2 = q.unflatten(-1, (self.h, 2, self.d)).unbind(-2)
        k1, k2 = k.unflatten(-1, (self.h, 2, self.d)).unbind(-2)
        v = v.unflatten(-1, (self.h, 2 * self.d))

        def read(q: Tensor, k: Tensor) -> Tensor:
            s = torch.einsum("bihd,bjhd->bhij", q, k) / self.d**0.5
            return torch.einsum("bhij,bjhe->bihe", causal_softmax(s), v)

        o = read(q1, k1) - self.mix() * read(q2, k2)
        ms = o.to(torch.promote_types(o.dtype, torch.float32)).square().mean(-1, keepdim=True)
        o = (o / (ms + 1e-5).sqrt()).to(o.dtype) * self.gain * (1 - self.init)
        return self.out(o.flatten(-2))
