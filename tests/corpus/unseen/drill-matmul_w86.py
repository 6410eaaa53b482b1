import torch

def by_operator(weights, values): return weights @ values

def by_matmul(weights, values): return torch.matmul(weights, values)

def by_einsum(weights, values): return torch.einsum('abij,abjk->abik', weights, values)

def by_bmm(weights, values):
    c = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return c.view(*weights.shape[:3], values.shape[3])

def by_broadcast(weights, values):
    b, h, q, k = weights.shape
    d = values.shape[-1]
    w = weights.reshape(b, h, q, 1, k)
    v = values.reshape(b, h, 1, d, k)
    return (w * v).sum(dim=-1)
