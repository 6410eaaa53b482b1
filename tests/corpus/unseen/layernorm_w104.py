from __future__ import annotations

import torch
from torch import Tensor


def _statistics(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    mean = x.mean(-1, dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    rstd = torch.rsqrt(variance + eps)
    return (x - mean) * rstd, rstd


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    normalised, _ = _statistics(x, eps)
    return normalised * weight + bias


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    normalised, rstd = _statistics(x, eps)
    g = grad_output * weight
    grad_x = rstd * (
        g - g.mean(dim=-1, keepdim=True) - normalised * (g * normalised).mean(dim=-1, keepdim=True)
    )
    grad_weight = (grad_output * normalised).sum(dim=(0, 1))
    grad_bias = grad_output.sum(dim=(0, 1))
    return grad_x, grad_weight, grad_bias
