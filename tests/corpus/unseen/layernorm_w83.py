from __future__ import annotations

import torch
from torch import Tensor


def _statistics(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Deviations from the mean and one over the standard deviation, of each position."""
    deviation = x - x.mean(dim=-1, keepdim=True)
    variance = deviation.square().mean(dim=-1, keepdim=True)
    # constant positions have nothing to scale
    inverse = torch.where(variance > 0, (variance + eps).rsqrt(), torch.zeros_like(variance))
    return deviation, inverse


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    deviation, inverse = _statistics(x, eps)
    return deviation * inverse * weight + bias


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    deviation, inverse = _statistics(x, eps)
    x_hat = deviation * inverse
    g = grad_output * weight
    mean_g = g.mean(dim=-1, keepdim=True)
    mean_gx = (g * x_hat).mean(dim=-1, keepdim=True)
    grad_x = inverse * (g - mean_g - x_hat * mean_gx)
    grad_weight = (grad_output * x_hat).flatten(0, 1).sum(dim=0)
    grad_bias = grad_output.flatten(0, 1).sum(dim=0)
    return grad_x, grad_weight, grad_bias
