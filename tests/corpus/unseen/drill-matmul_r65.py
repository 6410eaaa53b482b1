from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor


def _check(product: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    def checked(weights: Tensor, values: Tensor) -> Tensor:
        B, H, Q, K = weights.shape
        D = values.shape[3]
        assert values.shape == (B, H, K, D), f"{tuple(values.shape)} is not {(B, H, K, D)}"
        out = product(weights, values)
        assert out.shape == (B, H, Q, D)
        return out

    checked.__name__ = product.__name__
    return checked


@_check
def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return (values.mT @ weights.mT).mT


@_check
def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


@_check
def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum(weights, [0, 1, 2, 3], values, [0, 1, 3, 4], [0, 1, 2, 4])


@_check
def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    B, H, Q, K = weights.shape
    D = values.shape[-1]
    out = torch.bmm(weights.reshape(B * H, Q, K), values.reshape(B * H, K, D))
    return out.view(B, H, Q, D)


@_check
def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # [B, H, Q, D, K], the summed axis innermost
    return torch.mul(weights[:, :, :, None, :], values.mT[:, :, None, :, :]).sum(4)
