from __future__ import annotations

import torch
from torch import Tensor


def _moments(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred, variance.clamp_min(eps).rsqrt()


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    work = torch.promote_types(x.dtype, torch.float32)
    centred, inverse = _moments(x.to(work), eps)
    return ((centred * inverse) * weight + bias).to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    work = torch.promote_types(x.dtype, torch.float32)
    centred, inverse = _moments(x.to(work), eps)
    hat = centred * inverse
    upstream = grad_output.to(work)
    inner = upstream * weight.to(work)
    pull = inner.mean(-1, True) + hat * (inner * hat).mean(-1, True)
    gx = (inner - pull) * inverse
    return gx.to(x.dtype), (upstream * hat).sum((0, 1)).to(x.dtype), upstream.sum((0, 1)).to(x.dtype)
