import torch
from torch import Tensor
from typing import Tuple


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    dtype = torch.promote_types(x.dtype, torch.float32)
    mean = x.to(dtype).mean(dim=-1, keepdim=True)
    var = x.to(dtype).var(dim=-1, unbiased=False, keepdim=True)
    y = (x.to(dtype) - mean) / torch.sqrt(var + eps)
    return (y * weight.to(dtype) + bias.to(dtype)).to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5) -> Tuple[Tensor, Tensor, Tensor]:
    dtype = torch.promote_types(x.dtype, torch.float32)
    x_, go, gamma = x.to(dtype), grad_output.to(dtype), weight.to(dtype)
    N = x.shape[-1]

    mean = x_.mean(dim=-1, keepdim=True)
    rstd = (x_.var(dim=-1, unbiased=False, keepdim=True) + eps).rsqrt()
    x_hat = (x_ - mean) * rstd

    wdy = go * gamma
    c1 = (x_hat * go).sum(dim=-1, keepdim=True) / N
    c2 = wdy.sum(dim=-1, keepdim=True) / N
    dx = (wdy - (x_hat * c1 + c2)) * rstd

    dw = torch.einsum("btc,btc->c", go, x_hat)
    db = torch.einsum("btc->c", go)
    return dx.to(x.dtype), dw.to(weight.dtype), db.to(weight.dtype)
