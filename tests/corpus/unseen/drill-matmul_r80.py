import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("zhst,zhtf->zhsf", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:2]
    fold = lambda t: t.flatten(0, 1)
    return torch.bmm(fold(weights), fold(values)).unflatten(0, lead)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # (batch, heads, key, query, 1) * (batch, heads, key, 1, head_dim)
    return weights.mT[..., None].mul(values.unsqueeze(-2)).sum(2)
