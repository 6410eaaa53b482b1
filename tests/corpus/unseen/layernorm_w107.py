from __future__ import annotations

import torch
from torch import Tensor


def _normalise(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """The normalised features, and one over the deviation of each position."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(wide, dim=-1, keepdim=True)
    inverse = (variance + eps).rsqrt()
    return (wide - mean).mul(inverse), inverse


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    normed, _ = _normalise(x, eps)
    return torch.addcmul(bias.to(normed.dtype), normed, weight.to(normed.dtype)).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    normed, inverse = _normalise(x, eps)
    upstream = grad_output.to(normed.dtype)
    grad_normed = upstream * weight.to(normed.dtype)
    n = x.shape[-1]
    total = grad_normed.sum(dim=-1, keepdim=True)
    along = torch.einsum("bld,bld->bl", grad_normed, normed).unsqueeze(-1)
    grad_x = inverse / n * (n * grad_normed - total - normed * along)
    grad_weight = torch.einsum("bld,bld->d", upstream, normed)
    grad_bias = upstream.flatten(0, 1).sum(dim=0)
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), grad_bias.to(x.dtype)
