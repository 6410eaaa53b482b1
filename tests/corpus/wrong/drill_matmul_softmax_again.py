# wrong: drill-matmul softmax-twice line 11
import torch
import torch.nn.functional as F


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    probs = F.softmax(weights, dim=-1)
    return torch.matmul(probs, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, weights.shape[:2])


def by_broadcast(weights, values):
    return (weights[..., None] * values[:, :, None]).sum(3)
