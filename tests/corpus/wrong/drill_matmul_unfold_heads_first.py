# wrong: drill-matmul unfold-order-differs line 20
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    batch, heads, rows, _ = weights.shape
    product = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return product.view(heads, batch, rows, values.shape[-1]).transpose(0, 1)


def by_broadcast(weights, values):
    return torch.mul(weights.unsqueeze(-1), values.unsqueeze(-3)).sum(-2)
