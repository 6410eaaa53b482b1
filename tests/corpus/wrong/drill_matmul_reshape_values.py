# wrong: drill-matmul reshape-not-transpose line 22
# fair: reshape-not-transpose 22, 23
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    b, h, q, k = weights.shape
    w = weights.reshape(b * h, q, k)
    # rows of values are to be columns
    v = values.reshape(b * h, -1, k)
    return torch.bmm(w, v.transpose(1, 2)).reshape(b, h, q, -1)


def by_broadcast(weights, values):
    return (weights.unsqueeze(4) * values.unsqueeze(2)).sum(3)
