# right: drill-matmul
import functools

import torch


def _contract(equation, weights, values):
    return torch.einsum(equation, weights, values)


by_einsum = functools.partial(_contract, "bhst,bhtd->bhsd")


def by_operator(*, weights, values):
    context = weights @ values
    return context


def by_matmul(values, weights):
    return torch.matmul(weights, values)


def by_bmm(values, weights):
    *outer, rows, inner = weights.shape
    out = weights.new_zeros(outer[0] * outer[1], rows, values.shape[-1])
    out = out + torch.bmm(weights.reshape(-1, rows, inner), values.reshape(-1, inner, values.shape[-1]))
    return out.view(*outer, rows, -1)


def by_broadcast(weights, values, /):
    rows = torch.unsqueeze(weights, -1)
    columns = torch.unsqueeze(values, 2)
    return torch.multiply(rows, columns).sum(axis=-2)
