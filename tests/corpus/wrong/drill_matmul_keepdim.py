# wrong: drill-matmul summed-axis-left line 21
import torch


def by_operator(weights, values):
    return weights @ values

def by_matmul(weights, values):
    return torch.matmul(weights, values)

def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)

def by_bmm(weights, values):
    folded = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return folded.unflatten(0, (weights.size(0), weights.size(1)))

def by_broadcast(weights, values):
    a = weights.unsqueeze(-1)
    b = values.unsqueeze(-3)
    return torch.sum(a * b, dim=-2, keepdim=True)
