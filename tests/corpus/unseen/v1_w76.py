from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def scaled_dot_product(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    batch, length, d_k = k.shape
    k_t = k.reshape(batch, d_k, length)
    scores = torch.matmul(q, k_t) / math.sqrt(d_k)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        # one linear layer each for query, key and value
        self.linears = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim) for _ in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = [lin(x) for lin in self.linears]
        return scaled_dot_product(query, key, value)
