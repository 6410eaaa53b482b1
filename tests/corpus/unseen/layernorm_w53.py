import torch
from torch import Tensor


@torch.no_grad()
def _stats(x: Tensor, eps: float):
    f = x.float() if x.dtype != torch.float64 else x
    mean = f.mean(-1, keepdim=True)
    var = ((f - mean) ** 2).mean(-1, keepdim=True)
    return mean, (var + eps) ** -0.5


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean, rstd = _stats(x, eps)
    return ((x - mean) * rstd * weight + bias).to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    mean, rstd = _stats(x, eps)
    xhat = (x - mean) * rstd
    g = grad_output * weight
    n = x.size(-1)
    grad_x = rstd * (g - (g.sum(-1, keepdim=True) + xhat * (g * xhat).sum(-1, keepdim=True)) / n)
    grad_weight = (grad_output * xhat).sum(dim=(0, 1))
    grad_bias = grad_output.sum(dim=(0, 1))
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), grad_bias.to(x.dtype)
