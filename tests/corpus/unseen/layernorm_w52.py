from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True, correction=0)
    inverse = torch.rsqrt(variance + eps)
    normalised = (x - mean) * inverse

    by_weight = grad_output * normalised
    grad_weight = by_weight.flatten(0, 1).sum(0)
    grad_bias = grad_output.flatten(0, 1).sum(0)

    grad_normalised = grad_output * weight
    through_mean = grad_normalised.mean(dim=-1, keepdim=True)
    through_variance = normalised * by_weight.mean(dim=-1, keepdim=True)
    grad_x = inverse * (grad_normalised - through_mean - through_variance)
    return grad_x, grad_weight, grad_bias
