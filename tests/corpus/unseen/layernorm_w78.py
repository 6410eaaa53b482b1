import torch
from torch import Tensor


def _stats(x: Tensor, eps: float):
    mean = x.mean(dim=-1, keepdim=True)
    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    return mean, torch.rsqrt(var + eps)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean, rstd = _stats(x, eps)
    return (x - mean) * rstd * weight + bias


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    mean, rstd = _stats(x, eps)
    norm = (x - mean) * rstd
    # backprop through scale and shift
    dbias = grad_output.sum(0).sum(0)
    dweight = (norm * grad_output).sum(0).sum(0)
    # backprop through the normalisation
    dnorm = grad_output
    dx = dnorm - dnorm.mean(-1, keepdim=True) - norm * (dnorm * norm).mean(-1, keepdim=True)
    dx = dx * rstd * weight
    return dx, dweight, dbias
