import operator
from functools import reduce

import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(values.transpose(-1, -2), weights.transpose(-1, -2)).transpose(-1, -2)


def by_einsum(weights, values):
    return torch.einsum("...ij,...jc->...ic", weights, values)


def by_bmm(weights, values):
    *lead, q, k = weights.shape
    n = reduce(operator.mul, lead)
    return torch.bmm(weights.reshape(n, q, k), values.reshape(n, k, -1)).reshape(*lead, q, -1)


def by_broadcast(weights, values):
    w = weights[..., None]
    v = values[..., None, :]
    return torch.multiply(w, v).sum(-2)
