from __future__ import annotations

import torch
from torch import Tensor


def _widen(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    h, w, b = _widen(x, weight, bias)
    var, mean = torch.var_mean(h, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(b, (h - mean) / torch.sqrt(var + eps), w).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    g, h, w = _widen(grad_output, x, weight)
    n = h.shape[-1]

    mean = h.mean(dim=-1, keepdim=True)
    std = torch.sqrt(h.var(dim=-1, keepdim=True) + eps)
    x_hat = (h - mean) / std

    grad_hat = g * w
    total = grad_hat.sum(dim=-1, keepdim=True)
    along = (grad_hat * x_hat).sum(dim=-1, keepdim=True)
    grad_x = (n * grad_hat - total - x_hat * along) / (n * std)

    grad_weight = torch.einsum("bld,bld->d", g, x_hat)
    grad_bias = torch.einsum("bld->d", g)
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), grad_bias.to(x.dtype)
