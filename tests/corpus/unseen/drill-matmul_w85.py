from __future__ import annotations

import torch
from torch import Tensor


class Fold:
    """(batch, heads, m, n) <-> (batch * heads, m, n)"""

    def __init__(self, batch: int, heads: int) -> None:
        self.batch = batch
        self.heads = heads

    def fold(self, tensor: Tensor) -> Tensor:
        return tensor.reshape(self.batch * self.heads, *tensor.shape[2:])

    def unfold(self, tensor: Tensor) -> Tensor:
        return tensor.unflatten(0, (self.heads, self.batch)).transpose(0, 1)


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(input=weights, other=values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("b h q k, b h k d -> b h q d", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    folding = Fold(weights.shape[0], weights.shape[1])
    product = torch.bmm(folding.fold(weights), folding.fold(values))
    return folding.unfold(product)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    product = weights.unsqueeze(4) * values.unsqueeze(2)
    return product.sum(dim=3)
