# wrong: drill-matmul summed-wrong-axis line 25
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    B, H, Q, K = weights.shape
    out = torch.bmm(weights.reshape(B * H, Q, K), values.reshape(B * H, K, -1))
    return out.reshape(B, H, Q, -1)


def by_broadcast(weights, values):
    products = weights.unsqueeze(-1) * values.unsqueeze(2)
    return products.sum(dim=2)
