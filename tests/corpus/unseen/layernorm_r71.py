import torch
from torch import Tensor
from torch.func import vmap


def _one(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
    """x: (features,)"""
    var, mean = torch.var_mean(x, correction=0)
    return weight * (x - mean) / torch.sqrt(var + eps) + bias


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    per_position = vmap(vmap(_one, in_dims=(0, None, None, None)), in_dims=(0, None, None, None))
    wide = torch.promote_types(x.dtype, torch.float32)
    return per_position(x.to(wide), weight.to(wide), bias.to(wide), eps).to(x.dtype)


def _one_backward(g: Tensor, x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """The Jacobian of x-hat is symmetric: (I - 1/n - x-hat x-hat^T/n) / std.  It is a projection, so
    subtract g's component along the ones, then the one along x-hat."""
    var, mean = torch.var_mean(x, correction=0)
    std = torch.sqrt(var + eps)
    xhat = (x - mean) / std
    h = g * weight
    h_perp = h - h.mean() - xhat * torch.dot(h, xhat) / x.numel()
    return h_perp / std, xhat


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    kept, wide = x.dtype, torch.promote_types(x.dtype, torch.float32)
    grad_output, x, weight = grad_output.to(wide), x.to(wide), weight.to(wide)
    f = lambda g, z: _one_backward(g, z, weight, eps)  # noqa: E731
    grad_x, xhat = vmap(vmap(f))(grad_output, x)
    grad_weight = torch.einsum("btd,btd->d", grad_output, xhat)
    grad_bias = torch.einsum("btd->d", grad_output)
    return grad_x.to(kept), grad_weight.to(kept), grad_bias.to(kept)
