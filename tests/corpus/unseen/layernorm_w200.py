from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Stats(NamedTuple):
    xhat: Tensor
    rstd: Tensor


def _stats(x: Tensor, eps: float = 1e-5) -> Stats:
    acc = torch.promote_types(x.dtype, torch.float32)
    x = x.to(acc)
    xc = x - x.mean(-1, keepdim=True)
    rstd = torch.rsqrt(xc.pow(2).mean(-1, keepdim=True) + eps)
    return Stats(xc * rstd, rstd)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    s = _stats(x, eps)
    return (s.xhat * weight + bias).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    xhat, rstd = _stats(x)
    go = grad_output.to(xhat.dtype)

    dw = torch.einsum("bth,bth->h", go, xhat)
    db = go.sum((0, 1))

    g = go * weight
    dx = rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))
    return tuple(t.to(x.dtype) for t in (dx, dw, db))
