from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """b batch, i j places, g kv heads, r query heads of one kv head, d head_dim."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == num_heads % num_kv_heads == 0
        n, self.d = hidden_dim, hidden_dim // num_heads
        self.g, self.r = num_kv_heads, num_heads // num_kv_heads
        self.Q = nn.Linear(n, n)
        self.K = nn.Linear(n, self.g * self.d)
        self.V = nn.Linear(n, self.g * self.d)
        self.O = nn.Linear(n, n)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        g, r, d = self.g, self.r, self.d
        q = self.Q(x).unflatten(-1, (g, r, d))
        k = self.K(x).unflatten(-1, (g, d))
        v = self.V(x).unflatten(-1, (g, d))

        S = torch.einsum("bigrd,bjgd->bgrij", q, k) * d**-0.5
        if attention_mask is not None:
            M = attention_mask.expand(-1, g * r, -1, -1).unflatten(1, (g, r))
            S = S.masked_fill(M == 0, -torch.inf)
        A = S.softmax(-1)
        Y = torch.einsum("bgrij,bjgd->birgd", A, v)
        return self.O(Y.flatten(2))
