from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor


class Welford:
    """Mean and sum of squared deviations, one feature after the other."""

    def __init__(self, shape: torch.Size, like: Tensor) -> None:
        self.n, self.mean, self.m2 = 0, like.new_zeros(shape), like.new_zeros(shape)

    def feed(self, columns: Iterable[Tensor]) -> Welford:
        for column in columns:
            self.n += 1
            step = column - self.mean
            self.mean = self.mean + step / self.n
            self.m2 = self.m2 + step * (column - self.mean)
        return self

    @property
    def variance(self) -> Tensor:
        return self.m2 / self.n


def _statistics(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    w = Welford(x.shape[:-1], x).feed(x.unbind(-1))
    return w.mean[..., None], (w.variance[..., None] + eps).sqrt()


def _up(*tensors: Tensor) -> list[Tensor]:
    return [t if t.dtype == torch.float64 else t.float() for t in tensors]


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    wide, w, b = _up(x, weight, bias)
    mean, deviation = _statistics(wide, eps)
    return ((wide - mean) / deviation * w + b).type(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        g, wide, w = _up(grad_output, x, weight)
        mean, deviation = _statistics(wide, eps)
        centred = wide - mean
        normed = centred / deviation
        d_normed = g * w
        d_deviation = -(d_normed * centred).sum(-1, True) / deviation.square()
        d_variance = d_deviation / (2 * deviation)
        d_centred = d_normed / deviation + d_variance * 2 * centred / x.shape[-1]
        d_mean = -d_centred.sum(-1, True)
        grads = d_centred + d_mean / x.shape[-1], (g * normed).sum((0, 1)), g.sum((0, 1))
        a, b, c = (t.type(x.dtype) for t in grads)
        return a, b, c
