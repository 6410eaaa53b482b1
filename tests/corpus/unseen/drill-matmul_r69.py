import torch
from functools import partial

_einsum = partial(torch.einsum, "...qk,...kd->...qd")


def by_operator(weights, values):
    out = weights @ values
    return out


def by_matmul(weights, values):
    return values.mT.matmul(weights.mT).mT


def by_einsum(weights, values):
    return _einsum(weights, values)


def by_bmm(weights, values):
    lead = weights.shape[:2]
    w, v = (t.flatten(0, 1) for t in (weights, values))
    return torch.bmm(w, v).unflatten(0, lead)


def by_broadcast(weights, values):
    # (b h q 1 k) * (b h 1 d k), letzte Achse weg
    return torch.mul(weights.unsqueeze(-2), values.mT.unsqueeze(-3)).sum(dim=-1)
