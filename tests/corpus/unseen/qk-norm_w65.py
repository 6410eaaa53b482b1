from __future__ import annotations

import torch
from torch import Tensor, nn


def rho(U: Tensor, e: float = 1e-6) -> Tensor:
    return U / (torch.einsum("...d,...d->...", U, U) / U.size(-1) + e).sqrt().unsqueeze(-1)


class QKNormAttention(nn.Module):
    """y = sum_a softmax(C + Q'_a K'_a^T / sqrt(d)) V_a O_a."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        m, h = hidden_dim, num_heads
        d = self.d = m // h
        self.P = nn.Parameter(torch.randn(3, m, h, d) / m**0.5)
        self.O = nn.Parameter(torch.randn(h, d, m) / m**0.5)
        self.g = nn.Parameter(torch.ones(h, 1, d))
        self.f = nn.Parameter(torch.ones(h, 1, d))

    def forward(self, x: Tensor) -> Tensor:
        Q, K, V = torch.einsum("btm,rmhd->rbhtd", x, self.P)
        Q = rho(Q) * self.g
        K = rho(K) * self.f
        S = torch.einsum("bhid,bhjd->bhij", Q, K) / self.d**0.5
        T = x.size(1)
        C = torch.full((T, T), -torch.inf, dtype=S.dtype, device=S.device).triu(1)
        A = torch.softmax(S + C, -1)
        return torch.einsum("bhij,bhjd,hdm->bim", A, V, self.O)
