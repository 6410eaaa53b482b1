from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mu = x.mean(-1, keepdim=True)
    diff = x - mu
    var = (diff * diff).mean(-1, keepdim=True)
    # 归一化之后再乘 weight、加 bias
    return weight * (diff / (torch.sqrt(var) + eps)) + bias


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    n = x.shape[-1]
    mu = x.mean(-1, keepdim=True)
    diff = x - mu
    var = (diff * diff).mean(-1, keepdim=True)
    inv = 1.0 / torch.sqrt(var + eps)
    xhat = diff * inv

    # 对 weight 和 bias 的梯度
    grad_weight = torch.einsum("bld,bld->d", grad_output, xhat)
    grad_bias = torch.einsum("bld->d", grad_output)

    # 对 x 的梯度
    g = grad_output * weight
    s1 = g.sum(-1, keepdim=True)
    s2 = (g * xhat).sum(-1, keepdim=True)
    grad_x = inv / n * (n * g - s1 - xhat * s2)
    return grad_x, grad_weight, grad_bias
