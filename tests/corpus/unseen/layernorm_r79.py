import torch
from torch import Tensor


def _welford(x: Tensor):
    """mean and biased variance of the last axis, both (..., 1)"""
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return mean, var


def _xhat(x: Tensor, eps: float):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mean, var = _welford(wide)
    inv = torch.rsqrt(var + eps)
    return (wide - mean) * inv, inv


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    h, _ = _xhat(x, eps)
    return torch.addcmul(bias.to(h.dtype), h, weight.to(h.dtype)).to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    h, inv = _xhat(x, eps)
    g = grad_output.to(h.dtype)
    w = weight.to(h.dtype)
    grad_bias = torch.einsum("blc->c", g)
    grad_weight = torch.einsum("blc,blc->c", g, h)
    u = g * w
    # project out the constant direction and the direction of h
    n = h.shape[-1]
    along = torch.einsum("blc,blc->bl", u, h).unsqueeze(-1) / n
    grad_x = inv * (u - u.mean(-1, keepdim=True) - h * along)
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
