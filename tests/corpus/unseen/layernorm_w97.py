from __future__ import annotations

import torch
from torch import Tensor


class Moments:
    """One pass over the features: sums of x and of its square."""

    def __init__(self, x: Tensor, eps: float):
        n = x.size(-1)
        s1 = x.sum(-1, keepdim=True)
        s2 = (x * x).sum(-1, keepdim=True)
        self.mean = s1 / n
        self.var = (s2 / n - self.mean**2).clamp_min(0)
        self.rstd = (self.var + eps) ** -0.5

    def hat(self, x: Tensor) -> Tensor:
        return (x - self.mean) * self.rstd


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    return (Moments(wide, eps).hat(wide) * weight + bias).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    wide = torch.promote_types(x.dtype, torch.float32)
    dy, xx, w = grad_output.to(wide), x.to(wide), weight.to(wide)
    mo = Moments(xx, eps)
    xhat = mo.hat(xx)
    dxhat = dy * w
    c1 = dxhat.mean(-1, keepdim=True)
    c2 = (dxhat * xhat).mean(-1, keepdim=True)
    dx = (dxhat - c1 - xhat * c2) * mo.rstd
    dw, db = (dy * xhat).sum((0, 1)), dy.sum((0, 1))
    return dx.to(x.dtype), dw.to(x.dtype), db.to(x.dtype)
