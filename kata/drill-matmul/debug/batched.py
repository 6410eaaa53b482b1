import torch


def fold(x):
    return x.reshape(-1, x.size(-2), x.size(-1))


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return weights.matmul(values)


def by_einsum(weights, values):
    return torch.einsum("nhqk,nhkd->nhqd", weights, values)


def by_bmm(weights, values):
    batch, heads = weights.shape[:2]
    mixed = torch.bmm(fold(weights), fold(values))
    return mixed.unflatten(0, (batch, heads))


def by_broadcast(weights, values):
    products = weights.unsqueeze(-1) * values.unsqueeze(2)
    return products.sum(dim=3)
