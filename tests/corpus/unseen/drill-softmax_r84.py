from __future__ import annotations

import torch
from torch import Tensor


class StableSoftmaxService:
    """Stateless service that owns all exponentials of the application."""

    HALF_TYPES = frozenset({torch.float16, torch.bfloat16})

    @classmethod
    def widen(cls, tensor: Tensor) -> Tensor:
        return tensor.float() if tensor.dtype in cls.HALF_TYPES else tensor

    @staticmethod
    def log_shares(tensor: Tensor, axis: int) -> Tensor:
        shifted = tensor - tensor.max(dim=axis, keepdim=True).values
        return shifted - shifted.exp().sum(dim=axis, keepdim=True).log()

    @classmethod
    def shares(cls, tensor: Tensor, axis: int) -> Tensor:
        return cls.log_shares(cls.widen(tensor), axis).exp().to(tensor.dtype)

    @classmethod
    def log_partition(cls, tensor: Tensor, axis: int) -> Tensor:
        wide = cls.widen(tensor)
        largest = wide.amax(dim=axis)
        remainder = (wide - largest.unsqueeze(axis)).exp().sum(dim=axis).log()
        return (largest + remainder).to(tensor.dtype)

    @classmethod
    def restricted_shares(cls, tensor: Tensor, permitted: Tensor) -> Tensor:
        visible = permitted.to(torch.bool)
        wide = cls.widen(tensor)
        wide = wide.masked_fill(visible.logical_not(), torch.finfo(wide.dtype).min)
        numerators = (wide - wide.amax(dim=-1, keepdim=True)).exp().mul(visible)
        denominators = numerators.sum(dim=-1, keepdim=True)
        denominators = denominators.masked_fill(denominators.eq(0), 1)
        return numerators.div(denominators).to(tensor.dtype)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return StableSoftmaxService.shares(x, dim)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    return StableSoftmaxService.log_partition(x, dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return StableSoftmaxService.restricted_shares(scores, mask)
