# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


# after the Triton tutorial "Layer Normalization"


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    a = x.to(torch.promote_types(x.dtype, torch.float32))
    mean = a.mean(dim=-1, keepdim=True)
    diff = a - mean
    var = (diff * diff).mean(dim=-1, keepdim=True)
    rstd = 1 / torch.sqrt(var + eps)
    x_hat = diff * rstd
    return (x_hat * weight + bias).to(x.dtype)


@torch.no_grad()
def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    acc = torch.promote_types(x.dtype, torch.float32)
    dy, a, w = grad_output.to(acc), x.to(acc), weight.to(acc)
    N = a.shape[-1]
    mean = a.sum(dim=-1, keepdim=True) / N
    rstd = torch.rsqrt((a - mean).square().sum(dim=-1, keepdim=True) / N + eps)
    # Compute dx
    xhat = (a - mean) * rstd
    wdy = w * dy
    c1 = (xhat * dy).sum(dim=-1, keepdim=True) / N
    c2 = wdy.sum(dim=-1, keepdim=True) / N
    dx = (wdy - (xhat * c1 + c2)) * rstd
    # Accumulate partial sums for dw/db
    dw = (dy * xhat).sum(dim=(0, 1))
    db = dy.sum(dim=(0, 1))
    return dx.to(x.dtype), dw.to(weight.dtype), db.to(weight.dtype)
