import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads, query_length, key_length = weights.shape
    head_dim = values.shape[-1]
    w = weights.reshape(batch * heads, query_length, key_length)
    v = values.reshape(batch * heads, key_length, head_dim)
    out = torch.bmm(w, v)
    return out.view(heads, batch, query_length, head_dim).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * values.unsqueeze(2)).sum(dim=3)
