import torch
from torch.func import vmap


def by_operator(weights, values):
    return vmap(vmap(lambda w, v: w @ v))(weights, values)


def by_matmul(weights, values):
    # a matrix and a row of the result at a time
    row = lambda w, v: torch.matmul(w, v)
    return vmap(vmap(vmap(row, in_dims=(0, None))))(weights, values)


def by_einsum(weights, values):
    return torch.einsum("...qk,...kd->...qd", weights, values)


def by_bmm(weights, values):
    # heads in front; any order will do, if it is undone in the same way
    fold = lambda t: t.transpose(0, 1).flatten(0, 1)
    mixed = torch.bmm(fold(weights), fold(values))
    return mixed.unflatten(0, (weights.size(1), weights.size(0))).transpose(0, 1)


def by_broadcast(weights, values):
    spread = vmap(vmap(lambda w, v: (w.unsqueeze(-1) * v).sum(-2)))
    return spread(weights, values)
