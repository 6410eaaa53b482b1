import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (A B)ᵀ = Bᵀ Aᵀ
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    rows = weights.unsqueeze(-2)
    table = values.unsqueeze(2)
    return torch.matmul(rows, table).squeeze(-2)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum(weights, [..., 0, 1], values, [..., 1, 2], [..., 0, 2])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k = weights.shape
    w, v = weights.reshape(-1, q, k), values.reshape(b * h, k, -1)
    out = torch.bmm(w, v)
    return out.unflatten(0, (b, h))


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # (b, h, q, 1, k) times (b, h, 1, d, k)
    return weights.unsqueeze(3).mul(values.transpose(2, 3).unsqueeze(2)).sum(-1)
