from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...ij,...jc->...ic", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    """One long axis of batch * heads matrices, cut into heads again."""
    heads = weights.shape[1]
    context = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return torch.stack(context.chunk(heads), dim=1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # w_{bhq.k} v_{bh.dk}, summed over the last
    return (weights[:, :, :, None, :] * values.mT[:, :, None, :, :]).sum(-1)
