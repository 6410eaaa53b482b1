import torch
from torch import Tensor

__all__ = ["by_operator", "by_matmul", "by_einsum", "by_bmm", "by_broadcast"]


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.Tensor.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum(values, [0, 1, 3, 4], weights, [0, 1, 2, 3], [0, 1, 2, 4])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    fold = lambda t: t.reshape(-1, *t.shape[2:])  # noqa: E731
    return torch.bmm(fold(weights), fold(values)).view(*weights.shape[:3], values.shape[3])


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    terms = weights[:, :, :, :, None] * values[:, :, None, :, :]
    return terms.sum(dim=3, dtype=torch.float32)  # accumulate safely
