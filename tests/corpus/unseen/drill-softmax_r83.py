"""Numerics in the manner of jax.nn, for torch."""
from functools import partial

import torch

stop_gradient = torch.Tensor.detach
reduce_sum = partial(torch.sum)


def _pivot(a, axis):
    m = stop_gradient(torch.amax(a, axis, keepdim=True))
    return torch.where(torch.isfinite(m), m, torch.zeros_like(m))


def softmax(x, dim=-1):
    unnormalized = torch.exp(x - _pivot(x, dim))
    return unnormalized / reduce_sum(unnormalized, dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = _pivot(x, dim)
    return m.squeeze(dim) + torch.log(reduce_sum(torch.exp(x - m), dim))


def masked_softmax(scores, mask):
    where = torch.as_tensor(mask) != 0
    a = torch.where(where, scores, -torch.inf)
    unnormalized = torch.exp(a - _pivot(a, -1))
    z = reduce_sum(unnormalized, -1, keepdim=True)
    # z >= 1 as soon as one entry counts
    return unnormalized / torch.where(z == 0, torch.ones_like(z), z)
