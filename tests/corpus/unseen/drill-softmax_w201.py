# attn-kata: drill-softmax
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor


class Normalizer(ABC):
    keepdim: ClassVar[bool] = True

    def peak(self, x: Tensor, dim: int) -> Tensor:
        return x.max(dim=dim, keepdim=True).values

    @abstractmethod
    def __call__(self, x: Tensor, dim: int) -> Tensor: ...


class Shares(Normalizer):
    def __call__(self, x: Tensor, dim: int) -> Tensor:
        e = (x - self.peak(x, dim)).exp()
        return e / e.sum(dim=dim, keepdim=self.keepdim)


class LogTotal(Normalizer):
    def __call__(self, x: Tensor, dim: int) -> Tensor:
        m = self.peak(x, dim)
        return m.squeeze(dim) + (x - m).exp().sum(dim=dim).log()


class MaskedShares(Shares):
    """Hidden entries get no share; rows without any entry get none at all."""

    def __init__(self, mask: Tensor) -> None:
        self.hidden = mask == 0

    def bias(self, dtype: torch.dtype) -> Tensor:
        zeros = torch.zeros(self.hidden.shape, dtype=dtype, device=self.hidden.device)
        return zeros.masked_fill(self.hidden, float("-inf"))

    def __call__(self, x: Tensor, dim: int) -> Tensor:
        shares = super().__call__(x + self.bias(x.dtype), dim)
        return torch.nan_to_num(shares, nan=0.0)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return Shares()(x, dim)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    return LogTotal()(x, dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return MaskedShares(mask)(scores, -1)
