from __future__ import annotations

import torch
from torch import Tensor


def by_operator(A: Tensor, V: Tensor) -> Tensor:
    return (V.mT @ A.mT).mT


def by_matmul(A: Tensor, V: Tensor) -> Tensor:
    return torch.matmul(A, V)


def by_einsum(A: Tensor, V: Tensor) -> Tensor:
    return torch.einsum(A, [0, 1, 2, 3], V, [0, 1, 3, 4], [0, 1, 2, 4])


def _fold(t: Tensor) -> Tensor:
    return t.reshape(-1, t.shape[-2], t.shape[-1])


def by_bmm(A: Tensor, V: Tensor) -> Tensor:
    b, h = A.shape[:2]
    out = torch.bmm(_fold(A), _fold(V.swapaxes(0, 1)))
    return out.reshape(b, h, A.shape[2], V.shape[3])


def by_broadcast(A: Tensor, V: Tensor) -> Tensor:
    return (A.unsqueeze(3) * V.mT.unsqueeze(2)).sum(-1)
