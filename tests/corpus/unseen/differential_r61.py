"""Bare parameters; one einsum makes all the maps, (map, head) on two axes."""
from __future__ import annotations

import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        size = hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)

        def weight(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.nn.init.trunc_normal_(torch.empty(*shape), std=hidden_dim**-0.5))

        # query and key: (which, hidden_dim, head, map, head_dim)
        self.qk = weight(2, hidden_dim, num_heads, 2, size)
        self.v = weight(num_heads, hidden_dim, 2 * size)
        self.o = weight(num_heads, 2 * size, hidden_dim)
        self.lambdas = nn.ParameterDict(
            {name: nn.Parameter(0.1 * torch.randn(size)) for name in ("lq1", "lk1", "lq2", "lk2")}
        )
        self.head_norm = nn.RMSNorm(2 * size, eps=1e-5)

    @property
    def lam(self) -> Tensor:
        p = SimpleNamespace(**self.lambdas)
        first, second = torch.dot(p.lq1, p.lk1), torch.dot(p.lq2, p.lk2)
        return first.exp() - second.exp() + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        length, size = x.shape[1], self.qk.shape[-1]
        query, key = torch.einsum("btm,wmhcd->wbchtd", x, self.qk)
        value = torch.einsum("btm,hme->bhte", x, self.v)
        scores = query @ key.transpose(-1, -2) / math.sqrt(size)
        late = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        one, two = F.softmax(scores.masked_fill(late, -math.inf), dim=-1).unbind(1)
        head = self.head_norm((one - self.lam * two) @ value)
        return torch.einsum("bhte,hem->btm", head, self.o) * (1 - self.lambda_init)


if __name__ == "__main__":
    print(DifferentialAttention(24, 3, 0)(torch.randn(2, 5, 24)).shape)
