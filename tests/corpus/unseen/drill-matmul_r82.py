import torch
from einops import rearrange


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return weights.matmul(values)


def by_einsum(weights, values):
    return torch.einsum('b h i j, b h j d -> b h i d', weights, values)


def by_bmm(weights, values):
    h = values.shape[1]
    attn, v = map(lambda t: rearrange(t, 'b h i j -> (b h) i j'), (weights, values))
    return rearrange(torch.bmm(attn, v), '(b h) i d -> b h i d', h = h)


def by_broadcast(weights, values):
    attn = rearrange(weights, 'b h i j -> b h i j 1')
    v = rearrange(values, 'b h j d -> b h 1 j d')
    return (attn * v).sum(dim = -2)
