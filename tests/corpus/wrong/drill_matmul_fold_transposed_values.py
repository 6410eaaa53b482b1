# wrong: drill-matmul fold-of-transposed line 21
# fair: fold-of-transposed 21, 22
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    b, h, q, k = weights.shape
    # values come out of the projection as (batch, length, heads, head_dim)
    v = values.transpose(1, 2).reshape(b * h, k, -1)
    return weights.reshape(b * h, q, k).bmm(v).reshape(b, h, q, -1)


def by_broadcast(weights, values):
    return (weights[..., None] * values[:, :, None]).sum(dim=-2)
