from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """A(X) = softmax(Q K^T / sqrt(d)) V,  [V | Q | K] = X W + 1 c^T."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        d = self.d = hidden_dim
        self.W = nn.Parameter(torch.empty(d, 3 * d))
        self.c = nn.Parameter(torch.zeros(3 * d))
        nn.init.orthogonal_(self.W)

    def forward(self, x: Tensor) -> Tensor:
        d = self.d
        Y = torch.einsum("bnd,de->bne", x, self.W) + self.c
        V, Q, K = torch.tensor_split(Y, (d, 2 * d), dim=-1)
        S = torch.einsum("bjd,bid->bij", K, Q) * d**-0.5
        m = S.amax(dim=-1, keepdim=True)
        E = (S - m).exp()
        Z = torch.einsum("bij->bi", E)[..., None]
        return torch.einsum("bij,bjd->bid", E / Z, V)
