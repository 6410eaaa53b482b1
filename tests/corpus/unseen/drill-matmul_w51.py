import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...qk,...kd->...qd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads, queries, keys = weights.shape
    folded = torch.bmm(weights.reshape(-1, queries, keys), values.reshape(batch * heads, keys, -1))
    return folded.unflatten(0, (heads, batch)).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return (weights[..., None] * values[:, :, None]).sum(dim=-2)
