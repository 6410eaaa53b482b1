"""Both directions share one residual pair (xhat, rstd), as a custom_vjp would."""
from __future__ import annotations

import torch
from torch import Tensor


def _up(*ts: Tensor) -> list[Tensor]:
    return [t.float() if t.dtype in (torch.float16, torch.bfloat16) else t for t in ts]


def _fwd(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    n = x.shape[-1]
    c = x - x.sum(-1, keepdim=True) / n
    c = c - c.sum(-1, keepdim=True) / n  # again: what rounding left of the mean
    r = (torch.einsum("...d,...d->...", c, c)[..., None] / n + eps).rsqrt()
    return c * r, r


def _vjp(g: Tensor, h: Tensor, r: Tensor, w: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Project g*w onto the complement of span{1, h}; both have squared norm ~ n."""
    n = h.shape[-1]
    u = g * w
    along = torch.einsum("...d,...d->...", u, h)[..., None] / n
    dx = r * (u - u.sum(-1, keepdim=True) / n - h * along)
    return dx, torch.einsum("...d,...d->d", g, h), torch.einsum("...d->d", g)


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        xf, w, b = _up(x, weight, bias)
        h, r = _fwd(xf, eps)
        ctx.save_for_backward(h, r, w)
        ctx.dtypes = x.dtype, weight.dtype, bias.dtype
        return torch.addcmul(b, h, w).to(x.dtype)

    @staticmethod
    def backward(ctx, g: Tensor):
        (g,) = _up(g)
        return *(d.to(t) for d, t in zip(_vjp(g, *ctx.saved_tensors), ctx.dtypes)), None


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    return _LayerNorm.apply(x, weight, bias, eps)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    g, xf, w = _up(grad_output, x, weight)
    dx, dw, db = _vjp(g, *_fwd(xf, eps), w)
    return dx.to(x.dtype), dw.to(weight.dtype), db.to(weight.dtype)
