import torch
from torch import Tensor


def _fold(x: Tensor) -> Tensor:
    return x.transpose(0, 1).flatten(0, 1)


def _unfold(x: Tensor, batch: int, heads: int) -> Tensor:
    return x.unflatten(0, (batch, heads))


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...ij,...jd->...id", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads = weights.shape[:2]
    out = torch.bmm(_fold(weights), _fold(values))
    return _unfold(out, batch, heads)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return torch.mul(weights.unsqueeze(-1), values.unsqueeze(2)).sum(dim=3)
