from __future__ import annotations

from contextlib import contextmanager

import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


@contextmanager
def by_hand():
    with torch.no_grad():
        yield


def _normalise(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    variance, mean = torch.var_mean(_wide(x), dim=-1, correction=0, keepdim=True)
    inverse = torch.rsqrt(variance + eps)
    return (_wide(x) - mean) * inverse, inverse


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    normalised, _ = _normalise(x, eps)
    return torch.addcmul(_wide(bias), normalised, _wide(weight)).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    with by_hand():
        hat, inverse = _normalise(x, eps)
        g = _wide(grad_output)
        grad_bias = g.flatten(0, -2).sum(0)
        grad_weight = (g * hat).flatten(0, -2).sum(0)
        g = g * _wide(weight)
        # take off g's component along 1 and along hat
        along_one = g.mean(-1, keepdim=True)
        along_hat = (g * hat).mean(-1, keepdim=True)
        grad_x = inverse * (g - along_one - hat * along_hat)
        return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
