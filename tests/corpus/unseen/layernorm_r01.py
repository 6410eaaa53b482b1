# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


def _statistics(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """x_hat and 1 / sigma, in float32 at least."""
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    mu = torch.einsum("bld->bl", x)[..., None] / x.shape[-1]
    centred = x - mu
    variance = torch.einsum("bld,bld->bl", centred, centred)[..., None] / x.shape[-1]
    inverse = torch.rsqrt(variance + eps)
    return centred * inverse, inverse


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x_hat, _ = _statistics(x, eps)
    return (x_hat * weight.to(x_hat.dtype) + bias.to(x_hat.dtype)).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        x_hat, inverse = _statistics(x, eps)
        g = grad_output.to(x_hat.dtype)
        g_hat = torch.einsum("bld,d->bld", g, weight.to(x_hat.dtype))
        features = x.shape[-1]
        along_one = torch.einsum("bld->bl", g_hat)[..., None] / features
        along_x = torch.einsum("bld,bld->bl", g_hat, x_hat)[..., None] / features
        grad_x = inverse * (g_hat - along_one - x_hat * along_x)
        grad_weight = torch.einsum("bld,bld->d", g, x_hat)
        grad_bias = torch.einsum("bld->d", g)
        return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
