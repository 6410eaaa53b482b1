from __future__ import annotations

import torch
from torch import Tensor


def _welford(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and M2 by pairwise merging of halves (Chan et al.)."""
    n = x.shape[-1]
    if n == 1:
        return x, torch.zeros_like(x)
    na = n // 2
    nb = n - na
    ma, sa = _welford(x[..., :na])
    mb, sb = _welford(x[..., na:])
    delta = mb - ma
    return ma + delta * (nb / n), sa + sb + delta * delta * (na * nb / n)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    dtype = x.dtype
    x, weight, bias = (t.to(torch.promote_types(dtype, torch.float32)) for t in (x, weight, bias))
    mean, m2 = _welford(x)
    return ((x - mean) / (m2 / x.shape[-1] + eps).sqrt() * weight + bias).to(dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = x.dtype
    dy, x, w = (t.to(torch.promote_types(dtype, torch.float32)) for t in (grad_output, x, weight))
    n = x.shape[-1]
    mean, m2 = _welford(x)
    std = (m2 / n + eps).sqrt()
    h = (x - mean) / std
    # project g on the complement of span(1, h), though h has length below 1 because of eps
    basis = torch.stack((torch.ones_like(h), h), dim=-2)
    g = (dy * w).unsqueeze(-1)
    coefficients = torch.matmul(basis, g) / n
    gx = (g - torch.matmul(basis.transpose(-1, -2), coefficients)).squeeze(-1) / std
    gw = sum(d.mul(k).sum(0) for d, k in zip(dy, h))
    gb = sum(d.sum(0) for d in dy)
    return gx.to(dtype), gw.to(dtype), gb.to(dtype)
