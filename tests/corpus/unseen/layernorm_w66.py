from __future__ import annotations

from typing import NamedTuple, Tuple

import torch
from torch import Tensor


class Kept(NamedTuple):
    xhat: Tensor
    rstd: Tensor


def _keep(x: Tensor, eps: float) -> Kept:
    assert eps >= 0.0
    work: Tensor = x.to(torch.promote_types(x.dtype, torch.float32))
    centred: Tensor = work - work.mean(dim=-1, keepdim=True)
    rstd: Tensor = torch.rsqrt(centred.pow(2).mean(dim=-1, keepdim=True) + eps)
    return Kept(centred * rstd, rstd)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    assert weight.shape == bias.shape == (x.shape[-1],)
    xhat, _ = _keep(x, eps)
    out: Tensor = xhat * weight.to(xhat.dtype) + bias.to(xhat.dtype)
    assert out.shape == x.shape
    return out.to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> Tuple[Tensor, Tensor, Tensor]:
    assert grad_output.shape == x.shape
    xhat, rstd = _keep(x, eps)
    dy: Tensor = grad_output.to(xhat.dtype)
    dy_xhat: Tensor = dy * xhat

    grad_bias: Tensor = dy.sum(dim=(0, 1))
    grad_weight: Tensor = dy_xhat.sum(dim=(0, 1))
    assert grad_weight.shape == grad_bias.shape == weight.shape

    dxhat: Tensor = dy * weight.to(xhat.dtype)
    through_mean: Tensor = dxhat.mean(dim=-1, keepdim=True)
    through_variance: Tensor = xhat * dy_xhat.mean(dim=-1, keepdim=True)
    grad_x: Tensor = rstd * (dxhat - through_mean - through_variance)
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)


def test_matches_autograd() -> None:
    x = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    w = torch.ones(5, dtype=torch.float64, requires_grad=True)
    b = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    go = torch.randn(2, 3, 5, dtype=torch.float64)
    want = torch.autograd.grad(layer_norm(x, w, b), (x, w, b), go)
    for g, e in zip(layer_norm_backward(go, x.detach(), w.detach()), want):
        torch.testing.assert_close(g, e)
