from __future__ import annotations

import torch
from torch import Tensor


def _normalise(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(-1, keepdim=True)
    inv_std = torch.rsqrt(centred.pow(2).mean(-1, keepdim=True) + eps)
    return centred * inv_std, inv_std


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x_hat, _ = _normalise(x.to(torch.promote_types(x.dtype, torch.float32)), eps)
    return x_hat * weight + bias


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    wide = torch.promote_types(x.dtype, torch.float32)
    grad_output, weight = grad_output.to(wide), weight.to(wide)
    x_hat, inv_std = _normalise(x.to(wide), eps)
    along_ones = grad_output.mean(-1, keepdim=True)
    along_hat = x_hat * (grad_output * x_hat).mean(-1, keepdim=True)
    grad_x = weight * inv_std * (grad_output - along_ones - along_hat)
    batch_axes = tuple(range(x.dim() - 1))
    return grad_x, (grad_output * x_hat).sum(batch_axes), grad_output.sum(batch_axes)
