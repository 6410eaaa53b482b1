# right: drill-matmul
import torch as th


def by_operator(weights, values):
    # (V^T W^T)^T, written to be sure that I understand it
    return (values.mT @ weights.mT).mT


def by_matmul(weights, values):
    return th.matmul(values.transpose(2, 3), weights.transpose(2, 3)).transpose(2, 3)


def by_einsum(weights, values):
    return th.einsum("bhkd,bhqk->bhqd", values, weights)


def by_bmm(weights, values):
    b, h = weights.shape[0], weights.shape[1]
    w = weights.transpose(0, 1).flatten(0, 1)
    v = values.transpose(0, 1).flatten(0, 1)
    return th.bmm(w, v).unflatten(0, (h, b)).transpose(0, 1)


def by_broadcast(weights, values):
    w = weights.permute(0, 1, 3, 2).unsqueeze(-1)  # (b, h, k, q, 1)
    v = values.unsqueeze(-2)                       # (b, h, k, 1, d)
    return (v * w).sum(2)
