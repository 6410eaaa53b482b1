# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    dtype = x.dtype
    if dtype in (torch.float16, torch.bfloat16):
        x, weight, bias = x.float(), weight.float(), bias.float()
    mu = x.mean(-1, keepdim=True)
    sigma = ((x - mu) ** 2).mean(-1, keepdim=True).add(eps).sqrt()
    return ((x - mu) / sigma * weight + bias).to(dtype)


@torch.no_grad()
def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = x.dtype
    g = grad_output
    if dtype in (torch.float16, torch.bfloat16):
        g, x, weight = g.float(), x.float(), weight.float()
    mu = x.mean(-1, keepdim=True)
    sigma = ((x - mu) ** 2).mean(-1, keepdim=True).add(eps).sqrt()
    xhat = (x - mu) / sigma

    grad_bias = g.sum((0, 1))
    g = g * weight
    grad_weight = (g * xhat).sum((0, 1))
    grad_x = (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True)) / sigma
    return grad_x.to(dtype), grad_weight.to(dtype), grad_bias.to(dtype)
