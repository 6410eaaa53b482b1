import torch
from torch import Tensor


def _moments(x: Tensor, eps: float):
    """One read of x: sums of x and of x squared, in x's dtype or float32."""
    z = x.to(torch.promote_types(x.dtype, torch.float32))
    mean = z.mean(-1, keepdim=True)
    var = (z.square().mean(-1, keepdim=True) - mean.square()).clamp_min(0.0)
    return z, mean, torch.rsqrt(var + eps)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    z, mean, rstd = _moments(x, eps)
    return ((z - mean) * rstd * weight + bias).to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    z, mean, rstd = _moments(x, eps)
    x_hat = (z - mean) * rstd
    g = grad_output.to(z.dtype)
    h = g * weight
    grad_x = rstd * (h - h.mean(-1, keepdim=True) - x_hat * (h * x_hat).mean(-1, keepdim=True))
    grads = grad_x, (g * x_hat).sum((0, 1)), g.sum((0, 1))
    return tuple(t.to(x.dtype) for t in grads)
