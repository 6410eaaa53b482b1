# attn-kata: drill-matmul
from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (values transposed) @ (weights transposed), and back
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(input=weights, other=values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...ij,...jk->...ik", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads, query_length, key_length = weights.shape
    head_dim = values.size(-1)
    left = weights.transpose(0, 1).reshape(heads * batch, query_length, key_length)
    right = values.transpose(0, 1).reshape(heads * batch, key_length, head_dim)
    product = left.bmm(right).view(heads, batch, query_length, head_dim)
    return product.transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # the keys lie on the last axis, where they are summed up
    rows = weights.unsqueeze(3)  # (batch, heads, query_length, 1, key_length)
    columns = values.transpose(2, 3).unsqueeze(2)  # (batch, heads, 1, head_dim, key_length)
    return torch.sum(torch.mul(rows, columns), dim=4)
