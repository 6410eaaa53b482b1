# wrong: drill-matmul new-axis-misplaced line 28 (error)
import torch


def by_operator(weights, values):
    context = weights @ values
    return context


def by_matmul(weights, values):
    context = torch.matmul(weights, values)
    return context


def by_einsum(weights, values):
    return torch.einsum('bhij, bhjd -> bhid', weights, values)


def by_bmm(weights, values):
    b, h, i, j = weights.shape
    d = values.shape[-1]
    context = torch.bmm(weights.reshape(b * h, i, j), values.reshape(b * h, j, d))
    return context.reshape(b, h, i, d)


def by_broadcast(weights, values):
    # (b, h, i, j, 1) and the values with a new axis for the queries
    context = weights.unsqueeze(-1) * values.unsqueeze(-2)
    return context.sum(dim=3)
