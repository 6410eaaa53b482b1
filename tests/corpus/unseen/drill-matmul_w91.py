from __future__ import annotations

from enum import IntEnum, auto

import torch
from torch import Tensor


class Ax(IntEnum):
    BATCH = 0
    HEAD = auto()
    QUERY = auto()
    KEY = auto()
    DIM = auto()


W = [Ax.BATCH, Ax.HEAD, Ax.QUERY, Ax.KEY]
V = [Ax.BATCH, Ax.HEAD, Ax.KEY, Ax.DIM]


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    out = weights @ values
    return out


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    # KEY occurs twice and is contracted
    return torch.einsum(weights, [int(a) for a in W], values, [int(a) for a in V])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    w = weights.reshape(-1, *weights.shape[Ax.QUERY :])
    v = values.reshape(-1, *values.shape[2:])
    return w.bmm(v).reshape(*weights.shape[: Ax.KEY], -1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return (weights.unsqueeze(Ax.DIM) * values.unsqueeze(Ax.QUERY)).sum(Ax.KEY)
