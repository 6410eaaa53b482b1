from __future__ import annotations

import functools
from typing import Callable

import torch
from torch import Tensor


def in_wide_floats(fn: Callable) -> Callable:
    """Run fn in float32 at least, and give its results the dtype that x came in."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        given = next(a.dtype for a in args if isinstance(a, Tensor)) if args else kwargs["x"].dtype
        wide = torch.promote_types(given, torch.float32)
        lift = lambda a: a.to(wide) if isinstance(a, Tensor) else a
        result = fn(*map(lift, args), **{name: lift(a) for name, a in kwargs.items()})
        if isinstance(result, tuple):
            return tuple(r.to(given) for r in result)
        return result.to(given)

    return wrapper


def whiten(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    inv = torch.rsqrt(var + eps)
    return (x - mean) * inv, inv


@in_wide_floats
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    unit, _ = whiten(x, eps)
    return torch.addcmul(bias, unit, weight)


@in_wide_floats
def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    unit, inv = whiten(x, eps)
    width = x.shape[-1]
    grad_weight = torch.einsum("blh,blh->h", grad_output, unit)
    grad_bias = torch.einsum("blh->h", grad_output)
    level = torch.einsum("blh,h->bl", grad_output, weight).div(width).unsqueeze(-1)
    tilt = torch.einsum("blh,h,blh->bl", grad_output, weight, unit).div(width).unsqueeze(-1)
    grad_x = inv * (grad_output * weight - level - unit * tilt)
    return grad_x, grad_weight, grad_bias
