from __future__ import annotations

from functools import partialmethod

import torch
from torch import Tensor


class Stats:
    """One position after another is normalised over axis `over`."""

    over = -1
    least = torch.float32

    def __init__(self, x: Tensor, *, eps: float) -> None:
        x = x.to(torch.promote_types(x.dtype, self.least))
        self.width = x.size(self.over)
        gap = x - self.mean(x)
        self.rs = (self.mean(gap * gap) + eps).rsqrt()
        self.xh = gap * self.rs

    def _reduce(self, t: Tensor, how: str) -> Tensor:
        return getattr(t, how)(dim=self.over, keepdim=True)

    mean = partialmethod(_reduce, how="mean")


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    xh = Stats(x, eps=eps).xh
    return (xh * weight.to(xh.dtype) + bias.to(xh.dtype)).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    s = Stats(x, eps=eps)
    g, xh = grad_output.to(s.xh.dtype), s.xh
    gh = g * weight.to(g.dtype)
    along = xh * s.mean(gh * xh)  # what would only change the deviation
    grad_x = (gh - s.mean(gh) - along) * s.rs
    flat_g, flat_xh = g.flatten(0, 1), xh.flatten(0, 1)
    grad_weight = torch.einsum("nc,nc->c", flat_g, flat_xh)
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), flat_g.sum(0).to(x.dtype)
