import torch
from torch import Tensor


def _shapes(weights: Tensor, values: Tensor):
    batch, heads, queries, keys = weights.shape
    assert values.shape[:3] == (batch, heads, keys)
    return batch, heads, queries, keys, values.shape[-1]


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    context = weights @ values
    return context


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    context = weights.matmul(values)
    return context


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    context = torch.einsum("bhqk,bhkd->bhqd", weights, values)
    return context


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads, queries, keys, dim = _shapes(weights, values)
    w = weights.reshape(-1, queries, keys)
    v = values.reshape(-1, keys, dim)
    context = torch.bmm(w, v)
    return context.view(heads, batch, queries, dim).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    w = weights.unsqueeze(4)  # batch heads queries keys 1
    v = values.unsqueeze(2)   # batch heads 1 keys dim
    return (w * v).sum(dim=3)
