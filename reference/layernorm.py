"""LayerNorm and its backward pass, by hand (Ba, Kiros and Hinton 2016, Layer Normalization).

A feature moves its own normalised value, and through the mean and the variance all others: that
is what the two averages in the gradient take away.
"""

from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Give every position mean 0 and variance 1 over its features, then scale and shift these.

    x is (batch, length, hidden_dim), any float dtype; weight and bias are (hidden_dim,). Returns
    the shape and dtype of x.
    """
    mean = x.mean(dim=-1, keepdim=True)  # (batch, length, 1)
    centred = x - mean  # (batch, length, hidden_dim)
    variance = centred.square().mean(dim=-1, keepdim=True)  # (batch, length, 1)
    # eps goes inside the root: equal features then give zeros, not 0/0.
    inverse_deviation = torch.rsqrt(variance + eps)  # (batch, length, 1)
    normalised = centred * inverse_deviation  # (batch, length, hidden_dim)
    output = normalised * weight + bias  # (batch, length, hidden_dim)
    return output


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss's gradients with respect to x, weight and bias, given the output's.

    grad_output and x are (batch, length, hidden_dim), weight is (hidden_dim,). Returns grad_x, as
    x, and grad_weight and grad_bias, (hidden_dim,) each.
    """
    level = x.mean(dim=-1, keepdim=True)  # (batch, length, 1)
    deviations = x - level  # (batch, length, hidden_dim)
    spread = deviations.square().mean(dim=-1, keepdim=True)  # (batch, length, 1)
    inverse_spread = torch.rsqrt(spread + eps)  # (batch, length, 1)
    unit = deviations * inverse_spread  # (batch, length, hidden_dim)
    grad_bias = grad_output.sum(dim=(0, 1))  # (hidden_dim,)
    products = grad_output * unit  # (batch, length, hidden_dim)
    grad_weight = products.sum(dim=(0, 1))  # (hidden_dim,)
    grad_unit = grad_output * weight  # (batch, length, hidden_dim)
    common = grad_unit.mean(dim=-1, keepdim=True)  # (batch, length, 1)
    shares = grad_unit * unit  # (batch, length, hidden_dim)
    along = shares.mean(dim=-1, keepdim=True)  # (batch, length, 1)
    # A shift of all features, and a stretch of them, would change nothing: both parts go.
    remainder = grad_unit - common - unit * along  # (batch, length, hidden_dim)
    grad_x = remainder * inverse_spread  # (batch, length, hidden_dim)
    return grad_x, grad_weight, grad_bias
