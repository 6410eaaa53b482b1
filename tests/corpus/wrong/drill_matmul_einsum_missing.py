# wrong: drill-matmul operator-missing line 12
import torch


def by_operator(weights, values):
    return weights @ values

def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    # bhqk,bhkd->bhqd
    return (weights.unsqueeze(-1) * values.unsqueeze(2)).sum(3)


def by_bmm(weights, values):
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, weights.shape[:2])


def by_broadcast(weights, values):
    return (weights[..., None] * values[:, :, None]).sum(3)
