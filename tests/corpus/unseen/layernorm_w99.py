from __future__ import annotations

import torch
from torch import Tensor


def _moments(x: Tensor) -> tuple[Tensor, Tensor]:
    mean = x.mean(dim=-1, keepdim=True)
    centred = x - mean
    return centred, centred.square().mean(dim=-1, keepdim=True)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    centred, variance = _moments(x)
    return centred / torch.sqrt(variance + eps) * weight + bias


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    centred, variance = _moments(x)
    rstd = 1 / (torch.sqrt(variance) + eps)
    normed = centred * rstd
    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * normed).sum(dim=(0, 1))
    g = grad_output * weight
    along = (g * normed).mean(dim=-1, keepdim=True)
    grad_x = rstd * (g - g.mean(dim=-1, keepdim=True) - normed * along)
    return grad_x, grad_weight, grad_bias
