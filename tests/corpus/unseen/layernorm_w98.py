from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mu = torch.mean(x, dim=-1, keepdim=True)
    sigma = torch.sqrt(torch.var(x, dim=-1, unbiased=False, keepdim=True) + eps)
    return weight * ((x - mu) / sigma) + bias


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    H = x.shape[-1]
    x2 = x.reshape(-1, H)
    dy = grad_output.reshape(-1, H)

    mu = x2.sum(1, keepdim=True) / H
    xc = x2 - mu
    var = (xc * xc).sum(1, keepdim=True) / H
    std = (var + eps).sqrt()
    xn = xc / std

    db = dy.sum(0)
    dy = dy * weight
    dw = (dy * xn).sum(0)

    dvar = (dy * xc).sum(1, keepdim=True) * -0.5 * std.pow(-3)
    dmu = -(dy / std).sum(1, keepdim=True)
    dx = dy / std + dvar * 2 * xc / H + dmu / H
    return dx.reshape_as(x), dw, db
