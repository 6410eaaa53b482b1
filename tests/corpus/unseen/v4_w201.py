from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    # Columns are distributions here (like transition matrices in my lecture notes):
    #   T[j, i] = probability to go from query i to key j,  sum_j T[j, i] = 1
    #   y = T^t v

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        n = hidden_dim
        self.W = nn.ParameterDict(
            {name: nn.Parameter(torch.randn(n, n) / math.sqrt(n)) for name in ("q", "k", "v")}
        )
        self.scale = n**-0.5
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = x @ self.W["q"]
        k = x @ self.W["k"]
        v = x @ self.W["v"]

        energy = torch.einsum("bja,bia->bji", k, q) * self.scale
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, float("-inf"))
        logZ = torch.logsumexp(energy, dim=1, keepdim=True)
        T = self.dropout(torch.exp(energy - logZ))

        return torch.einsum("bji,bja->bia", T, v)
