from __future__ import annotations

import torch
from torch import Tensor


class Folded:
    """Three-axis view of a four-axis tensor that remembers what it came from."""

    def __init__(self, t: Tensor) -> None:
        self.lead = t.shape[:2]
        self.t = t.flatten(0, 1)

    def times(self, other: Folded) -> Tensor:
        return torch.bmm(self.t, other.t).unflatten(0, self.lead)


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(input=weights, other=values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...xy,...yz->...xz", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    return Folded(weights).times(Folded(values))


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # (b, h, q, 1, k) with (b, h, 1, d, k): the keys end up last
    return torch.mul(weights.unsqueeze(3), values.transpose(2, 3).unsqueeze(2)).sum(4)
