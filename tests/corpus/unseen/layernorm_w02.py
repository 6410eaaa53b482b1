# attn-kata: layernorm
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class NormStatistics:
    """Per-position statistics, all (batch, length, 1) but for normalised."""

    mean: Tensor
    inv_std: Tensor
    normalised: Tensor  # (batch, length, hidden_dim)


def compute_statistics(x: Tensor, eps: float = 1e-5) -> NormStatistics:
    """Mean, inverse standard deviation and normalised values, in float32 at least."""
    assert x.dim() == 3, "x must be (batch, length, hidden_dim)"
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mean = wide.mean(dim=-1, keepdim=True)
    variance = wide.var(dim=-1, keepdim=True, unbiased=False)
    inv_std = torch.rsqrt(variance + eps)
    return NormStatistics(mean=mean, inv_std=inv_std, normalised=(wide - mean) * inv_std)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    assert weight.shape == bias.shape == x.shape[-1:], "weight and bias must be (hidden_dim,)"
    statistics = compute_statistics(x, eps)
    return (statistics.normalised * weight + bias).to(x.dtype)


@torch.no_grad()
def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    assert grad_output.shape == x.shape, "grad_output must have the shape of x"
    statistics = compute_statistics(x)
    normalised = statistics.normalised
    upstream = grad_output.to(normalised.dtype)

    # Gradients of the affine part: sum over batch and length.
    grad_weight = (upstream * normalised).sum(dim=(0, 1))
    grad_bias = upstream.sum(dim=(0, 1))

    # Gradient of the normalised values, then through mean and variance.
    grad_normalised = upstream * weight.to(normalised.dtype)
    mean_grad = grad_normalised.mean(dim=-1, keepdim=True)
    mean_projection = (grad_normalised * normalised).mean(dim=-1, keepdim=True)
    grad_x = statistics.inv_std * (grad_normalised - mean_grad - normalised * mean_projection)

    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
