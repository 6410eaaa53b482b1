from __future__ import annotations

import functools
from typing import Final

import torch
from torch import Tensor

SPEC: Final = "bhqk,bhkd->bhqd"


def contract(fn):
    @functools.wraps(fn)
    def checked(weights: Tensor, values: Tensor) -> Tensor:
        assert weights.shape[-1] == values.shape[-2], "key lengths differ"
        context = fn(weights, values)
        assert context.shape == (*weights.shape[:-1], values.shape[-1])
        assert context.dtype == values.dtype
        return context

    return checked


@contract
def by_operator(weights, values):
    return weights @ values


@contract
def by_matmul(weights, values):
    return weights.matmul(values)


@contract
def by_einsum(weights, values):
    return torch.einsum(SPEC, weights, values)


@contract
def by_bmm(weights, values):
    fold = functools.partial(torch.flatten, start_dim=0, end_dim=1)
    return torch.bmm(fold(weights), fold(values)).unflatten(0, weights.shape[:2])


@contract
def by_broadcast(weights, values):
    #   (b, h, q, k, 1) * (b, h, 1, k, d)
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)
