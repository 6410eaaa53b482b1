from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class _Stats:
    x_hat: Tensor
    rstd: Tensor

    @classmethod
    def of(cls, x: Tensor, eps: float) -> _Stats:
        x = x.to(torch.promote_types(x.dtype, torch.float32))
        d = x - x.mean(-1, keepdim=True)
        rstd = (d.square().mean(-1, keepdim=True) + eps).rsqrt()
        return cls(d * rstd, rstd)

    def project(self, g: Tensor) -> Tensor:
        """Take off what lies along the ones and along x_hat."""
        n = g.shape[-1]
        along = torch.einsum("blc,blc->bl", g, self.x_hat)[..., None] / n
        return g - g.sum(-1, keepdim=True) / n - self.x_hat * along


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    s = _Stats.of(x, eps)
    return torch.addcmul(bias.to(s.rstd.dtype), s.x_hat, weight.to(s.rstd.dtype)).to(x.dtype)


@torch.no_grad()
def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    s = _Stats.of(x, eps)
    g = grad_output.to(s.rstd.dtype)
    grad_x = s.rstd * s.project(g * weight)
    grad_weight = torch.einsum("blc,blc->c", g, s.x_hat)
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), g.sum((0, 1)).to(weight.dtype)
