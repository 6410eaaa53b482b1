# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


def _standardise(x: Tensor, eps: float = 1e-5) -> tuple[Tensor, Tensor]:
    """z-scores over the features, and 1 / standard deviation."""
    x = x.double() if x.dtype == torch.float64 else x.float()
    centred = x - x.mean(dim=-1, keepdim=True)
    inv_sd = centred.pow(2).mean(dim=-1, keepdim=True).add(eps).rsqrt()
    return centred * inv_sd, inv_sd


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    z, _ = _standardise(x, eps)
    return (z * weight + bias).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    z, inv_sd = _standardise(x)
    g = grad_output.to(z.dtype)

    grad_weight = (g * z).sum(dim=(0, 1))
    grad_bias = g.sum(dim=(0, 1))

    gz = g * weight
    mean_gz = gz.mean(dim=-1, keepdim=True)
    mean_gz_z = (gz * z).mean(dim=-1, keepdim=True)
    grad_x = (gz - mean_gz - z * mean_gz_z) * inv_sd
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
