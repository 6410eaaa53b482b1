# wrong: drill-matmul einsum-letter-not-shared line 14, summed-wrong-axis line 23
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhld->bhqd", weights, values)


def by_bmm(weights, values):
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, weights.shape[:2])


def by_broadcast(weights, values):
    terms = weights[..., None] * values[:, :, None]
    return terms.sum(-1)
