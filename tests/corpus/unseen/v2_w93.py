from __future__ import annotations

import torch
from torch import Tensor, nn


def similarity(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bid,bjd->bij", queries, keys)


def mix(shares: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("bji,bjd->bid", shares, values)


class SelfAttentionV2(nn.Module):
    """One matrix product for all three roles, helpers for the two contractions."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        queries, keys, values = self.qkv_proj(x).split(self.hidden_dim, dim=-1)
        scores = similarity(queries, keys) / self.hidden_dim**0.5
        shares = scores.softmax(dim=-1)
        return mix(shares, values)
