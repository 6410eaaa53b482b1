import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True)
    normalized = (x - mean) / torch.sqrt(var + eps)
    return normalized * weight + bias


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = (x - mean).square().mean(dim=-1, keepdim=True)
    rstd = 1 / torch.sqrt(var + eps)
    x_hat = (x - mean) * rstd
    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * x_hat).sum(dim=(0, 1))
    gy = grad_output * weight
    grad_x = rstd * (gy - gy.mean(-1, keepdim=True) - x_hat * (gy * x_hat).mean(-1, keepdim=True))
    return grad_x, grad_weight, grad_bias
