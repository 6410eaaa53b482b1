from __future__ import annotations

import torch
from torch import Tensor


def _centring(width: int, like: Tensor) -> Tensor:
    """C = I - 1/n: taking off the mean, as a matrix. C = Cᵀ = C·C."""
    return torch.eye(width, dtype=like.dtype, device=like.device) - 1.0 / width


def _up(*tensors: Tensor) -> tuple[Tensor, ...]:
    dtype = torch.float64 if tensors[0].dtype in (torch.float32, torch.float64) else torch.float32
    return tuple(t.to(dtype) for t in tensors)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    wide, w, b = _up(x, weight, bias)
    deviation = wide @ _centring(x.shape[-1], wide)
    power = torch.linalg.vecdot(deviation, deviation).unsqueeze(-1) / x.shape[-1]
    return torch.addcmul(b, torch.div(deviation, torch.sqrt(power + eps)), w).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """u = C x, s = √(u·u/n + eps), x̂ = u / s: one step back for each."""
    g, wide, w = _up(grad_output, x, weight)
    n = x.shape[-1]
    C = _centring(n, wide)
    u = wide @ C
    s = torch.sqrt((u * u).mean(-1, keepdim=True) + eps)
    grad_weight = torch.einsum("blc,blc->c", g, u / s)
    grad_bias = torch.einsum("blc->c", g)
    grad_hat = g * w
    grad_s = -(grad_hat * u).sum(-1, keepdim=True) / s**2
    grad_u = grad_hat / s + grad_s * u / (n * s)
    grad_x = grad_u @ C
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
