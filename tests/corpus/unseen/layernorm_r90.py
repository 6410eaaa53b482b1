from __future__ import annotations

import torch
from torch import Tensor


def _normalised(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """x-hat, and 1 / standard deviation, in float32 at least."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(wide, dim=-1, correction=0, keepdim=True)
    inverse = (variance + eps).pow(-0.5)
    return (wide - mean) * inverse, inverse


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x_hat, _ = _normalised(x, eps)
    return torch.addcmul(bias.to(x_hat.dtype), x_hat, weight.to(x_hat.dtype)).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    x_hat, inverse = _normalised(x.detach(), eps)
    dy = grad_output.detach().to(x_hat.dtype)
    n = x.shape[-1]

    # The Jacobian of a position is (I - 11'/n - x_hat x_hat'/n) / std. What it takes away are the
    # projections on two directions: stack them, and do both in one product.
    u = dy * weight.detach().to(x_hat.dtype)
    directions = torch.stack((torch.ones_like(x_hat), x_hat), dim=-2)  # (b, t, 2, n)
    shares = torch.matmul(directions, u.unsqueeze(-1)) / n  # (b, t, 2, 1)
    grad_x = inverse * (u - (shares * directions).sum(dim=-2))

    grad_weight = torch.einsum("btn,btn->n", dy, x_hat)
    grad_bias = dy.flatten(0, -2).sum(dim=0)
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), grad_bias.to(x.dtype)
