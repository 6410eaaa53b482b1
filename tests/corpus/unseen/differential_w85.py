from __future__ import annotations

from math import exp

import torch
from torch import Tensor, nn


def initial_lambda(layer: int) -> float:
    """Eq. (3) of the paper: starts low in the first layer, tends to 0.8."""
    return 0.8 - 0.6 * exp(-0.3 * (layer - 1))


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        for name in ("lq1", "lk1", "lq2", "lk2"):
            self.register_parameter(name, nn.Parameter(torch.randn(self.d) * 0.1))
        self.norm = nn.RMSNorm(2 * self.d, eps=1e-5)
        self.lambda_init = initial_lambda(depth)

    @property
    def lam(self) -> Tensor:
        return (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.lambda_init

    def softmaps(self, q: Tensor, k: Tensor) -> Tensor:
        s = torch.einsum("bihmd,bjhmd->mbhij", q, k) / self.d**0.5
        i = torch.arange(s.shape[-1], device=s.device)
        return s.masked_fill(i > i[:, None], torch.finfo(s.dtype).min).softmax(-1)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = (t.unflatten(-1, (self.H, 2, self.d)) for t in (q, k))
        v = v.unflatten(-1, (self.H, 2 * self.d))
        first, second = self.softmaps(q, k)
        y = torch.einsum("bhij,bjhe->bihe", first - self.lam * second, v)
        y = self.norm(y) * (1 - self.lambda_init)
        return self.o(y.flatten(2))
