import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (V^T W^T)^T
    return (values.transpose(-1, -2) @ weights.transpose(-1, -2)).transpose(-1, -2)


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum(weights, [..., 0, 1], values, [..., 1, 2], [..., 0, 2])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    # heads outermost; undone in the same order below
    h, b = weights.shape[1], weights.shape[0]
    w = weights.transpose(0, 1).flatten(0, 1)
    v = values.transpose(0, 1).flatten(0, 1)
    return w.bmm(v).view(h, b, w.shape[1], v.shape[2]).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    w = weights[:, :, :, None, :]
    v = values.mT[:, :, None, :, :]
    return (w * v).sum(-1)
