# wrong: drill-matmul unfold-order-differs line 21
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    b, h, q, k = weights.shape
    d = values.shape[-1]
    out = torch.bmm(weights.view(b * h, q, k), values.view(b * h, k, d))
    out = out.view(b, q, h, d).transpose(1, 2)
    return out


def by_broadcast(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(2)).sum(3)
