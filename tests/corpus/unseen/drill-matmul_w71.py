import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhkq,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    b, h, q, k = weights.shape
    d = values.shape[-1]
    out = torch.bmm(weights.reshape(b * h, q, k), values.reshape(b * h, k, d))
    return out.reshape(b, h, q, d)


def by_broadcast(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(2)).sum(dim=-2)
