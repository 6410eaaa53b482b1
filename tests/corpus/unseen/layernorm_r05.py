from __future__ import annotations

import torch
from torch import Tensor


def _standardise(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """x̂ and 1/σ, at least in float32."""
    w = x if x.dtype == torch.float64 else x.float()
    centred = w - w.mean(-1, keepdim=True)
    rstd = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + eps)
    return centred * rstd, rstd


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    xhat, _ = _standardise(x, eps)
    return (xhat * weight + bias).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    xhat, rstd = _standardise(x, eps)
    g = grad_output.to(xhat.dtype)
    gh = g * weight.to(xhat.dtype)
    gx = rstd * (gh - gh.mean(-1, keepdim=True) - xhat * (gh * xhat).mean(-1, keepdim=True))
    return gx.to(x.dtype), (g * xhat).sum((0, 1)).to(weight.dtype), g.sum((0, 1)).to(weight.dtype)
