# wrong: layernorm variance-cancels line 13
from __future__ import annotations

import torch
from torch import Tensor


def _moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance in one pass over the features."""
    n = x.shape[-1]
    first = torch.einsum("...d->...", x) / n
    second = torch.einsum("...d,...d->...", x, x) / n
    return first[..., None], (second - first.square())[..., None]


def _promote(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.float() if t.dtype in (torch.half, torch.bfloat16) else t for t in tensors)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    h, w, b = _promote(x, weight, bias)
    mean, variance = _moments(h)
    return ((h - mean) * (variance + eps).rsqrt() * w + b).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    g, h, w = _promote(grad_output, x, weight)
    mean, variance = _moments(h)
    rstd = (variance + eps).rsqrt()
    x_hat = (h - mean) * rstd
    gw = g * w
    a = gw.mean(-1, keepdim=True)
    b = (gw * x_hat).mean(-1, keepdim=True)
    grads = (gw - a - b * x_hat) * rstd, torch.einsum("btd,btd->d", g, x_hat), torch.einsum("btd->d", g)
    return tuple(t.to(like.dtype) for t, like in zip(grads, (x, weight, weight)))
