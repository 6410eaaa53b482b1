# wrong: drill-matmul (error)
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    return torch.bmm(weights, values)


def by_broadcast(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(2)).sum(-2)
