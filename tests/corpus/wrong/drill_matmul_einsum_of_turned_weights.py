# wrong: drill-matmul summed-wrong-axis line 14 (error)
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("...st,...sd->...td", weights, values)


def by_bmm(weights, values):
    batch, heads = weights.shape[:2]
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, (batch, heads))


def by_broadcast(weights, values):
    return (weights[..., None] * values[:, :, None]).sum(3)
