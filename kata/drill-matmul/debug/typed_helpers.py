"""Five ways to contract the key axis."""

from typing import Tuple

import torch
from torch import Tensor


def _fold(x: Tensor) -> Tensor:
    return x.contiguous().view(-1, *x.shape[-2:])


def _unfold(x: Tensor, outer: Tuple[int, int]) -> Tensor:
    return x.view(*outer, *x.shape[-2:])


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(input=weights, other=values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("b h q k, b h k d -> b h q d", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    outer = (weights.size(0), weights.size(1))
    return _unfold(torch.bmm(_fold(weights), _fold(values)), outer)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    terms: Tensor = torch.mul(weights.unsqueeze(-1), values.unsqueeze(-3))
    return torch.sum(terms, dim=-2)
