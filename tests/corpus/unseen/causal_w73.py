from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """h_a = softmax(tril(Q_a K_a^T) / sqrt(e)) V_a,  y = [h_1 ... h_n] O."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        d, n = hidden_dim, num_heads
        self.n, self.e, self.N = n, d // n, block_size
        g = lambda: nn.Parameter(torch.randn(n, d, self.e) / d**0.5)
        self.Q, self.K, self.V = g(), g(), g()
        self.O = nn.Parameter(torch.randn(n, self.e, d) / d**0.5)

    def forward(self, x: Tensor) -> Tensor:
        assert x.size(1) <= self.N
        q = torch.einsum("btd,hde->bhte", x, self.Q)
        k = torch.einsum("bsd,hde->bhse", x, self.K)
        v = torch.einsum("bsd,hde->bhse", x, self.V)

        S = torch.einsum("bhte,bhse->bhts", q, k) / self.e**0.5
        L = S.tril()
        L = L.masked_fill(L == 0, -torch.inf)
        A = L.softmax(-1)

        return torch.einsum("bhts,bhse,hed->btd", A, v, self.O)
