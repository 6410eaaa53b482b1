import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    flat = weights.flatten(0, 1) @ values.flatten(0, 1)
    return flat.unflatten(0, weights.shape[:2])


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    # (w v) = (v^T w^T)^T
    return values.mT.matmul(weights.mT).mT


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum(weights, [0, 1, 2, 3], values, [0, 1, 3, 4], [0, 1, 2, 4])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k = weights.shape
    # heads before batch, in both, and back in the same order
    folded_w = weights.transpose(0, 1).reshape(h * b, q, k)
    folded_v = values.transpose(0, 1).reshape(h * b, k, -1)
    return torch.bmm(folded_w, folded_v).view(h, b, q, -1).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return weights.unsqueeze(-2).mul(values.mT.unsqueeze(2)).sum(-1)
