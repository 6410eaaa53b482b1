"""Step-by-step backprop, one intermediate at a time (the 'backprop ninja' way)."""
from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    half = x.dtype in (torch.float16, torch.bfloat16)
    h = x.float() if half else x
    var, mean = torch.var_mean(h, dim=2, correction=0, keepdim=True)
    y = (h - mean) / (var + eps).sqrt()
    if half:
        y = y.type_as(x)
    return torch.addcmul(bias, y, weight)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    kind = x.dtype
    if kind in (torch.float16, torch.bfloat16):
        grad_output, x, weight = grad_output.float(), x.float(), weight.float()
    H = x.shape[-1]

    # forward
    mu = x.sum(-1, keepdim=True) / H
    diff = x - mu
    var = (diff * diff).sum(-1, keepdim=True) / H
    inv = (var + eps) ** -0.5
    norm = diff * inv

    # backward
    dbias = grad_output.sum((0, 1))
    dweight = (grad_output * norm).sum((0, 1))
    dnorm = grad_output * weight
    dinv = (dnorm * diff).sum(-1, keepdim=True)
    dvar = -0.5 * (var + eps) ** -1.5 * dinv
    ddiff = dnorm * inv + 2.0 / H * diff * dvar
    dmu = -ddiff.sum(-1, keepdim=True)
    dx = ddiff + dmu / H
    return dx.to(kind), dweight.to(kind), dbias.to(kind)
