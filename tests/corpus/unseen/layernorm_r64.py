from __future__ import annotations

from typing import Any, Tuple

import torch
from torch import Tensor


class _Stats:
    """Two numbers for each position: the mean and one over the standard deviation."""

    def __init__(self, x: Tensor, eps: float) -> None:
        assert x.ndim == 3
        self.dtype: torch.dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
        x = x.to(self.dtype)
        variance, self.mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        self.rstd: Tensor = torch.pow(variance + eps, -0.5)
        assert self.rstd.shape == (*x.shape[:2], 1)

    def normalise(self, x: Tensor) -> Tensor:
        return (x.to(self.dtype) - self.mean) * self.rstd


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> Tuple[Tensor, Tensor, Tensor]:
    assert grad_output.shape == x.shape and weight.shape == x.shape[-1:]
    stats = _Stats(x, eps)
    xhat: Tensor = stats.normalise(x)
    go: Tensor = grad_output.to(stats.dtype)
    grad_weight: Tensor = (go * xhat).flatten(0, 1).sum(dim=0)
    grad_bias: Tensor = go.flatten(0, 1).sum(dim=0)
    d: Tensor = go * weight.to(stats.dtype)
    # what is left of d once the directions (1, ..., 1) and xhat are taken out
    d = d - d.mean(-1, True)
    d = d - xhat * (d * xhat).mean(-1, True)
    grad_x: Tensor = stats.rstd * d
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        stats = _Stats(x, eps)
        return torch.addcmul(
            bias.to(stats.dtype), stats.normalise(x), weight.to(stats.dtype)
        ).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tuple[Any, ...]:
        x, weight = ctx.saved_tensors
        return *layer_norm_backward(grad_output, x, weight, ctx.eps), None


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    assert weight.shape == bias.shape == x.shape[-1:]
    return _LayerNorm.apply(x, weight, bias, eps)
