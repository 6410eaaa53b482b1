import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (W V) transposed is V-transposed W-transposed
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    rows = weights.flatten(0, 1)
    return rows.matmul(values.flatten(0, 1)).unflatten(0, weights.shape[:2])


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k, d = range(5)
    return torch.einsum(weights, [b, h, q, k], values, [b, h, k, d], [b, h, q, d])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    # heads before batch, on both sides, and unfolded the same way
    batch, heads = weights.shape[:2]
    w, v = (t.transpose(0, 1).flatten(0, 1) for t in (weights, values))
    return torch.bmm(w, v).view(heads, batch, weights.shape[2], values.shape[3]).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # (b, h, q, 1, k) · (b, h, 1, d, k)
    products = torch.multiply(weights.unsqueeze(-2), values.mT.unsqueeze(-3))
    return torch.sum(products, -1)
