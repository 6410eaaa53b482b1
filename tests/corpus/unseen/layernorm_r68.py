"""LayerNorm as centring matrix + scaling; backward is a chain of small VJPs."""
import torch
from torch import vmap


def _norm_one(v, eps):
    """[D] -> xhat [D], 1/std []"""
    c = v - v.mean()
    rstd = torch.rsqrt(torch.dot(c, c) / v.shape[0] + eps)
    return c * rstd, rstd


def _normalize(x, eps):
    up = torch.promote_types(x.dtype, torch.float32)
    f = vmap(vmap(lambda v: _norm_one(v, eps)))
    return f(x.to(up))


def layer_norm(x, weight, bias, eps=1e-5):
    xhat, _ = _normalize(x, eps)
    return (xhat * weight + bias).to(x.dtype)


def _vjp_center(ct):
    return ct - ct.mean(-1, keepdim=True)


def _vjp_scale(ct, xhat, rstd):
    # xhat = c * rstd(c): both factors depend on c
    along = (ct * xhat).mean(-1, keepdim=True)
    return rstd * (ct - xhat * along)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xhat, rstd = _normalize(x, eps)
    ct = grad_output.to(xhat.dtype)
    grad_x = _vjp_center(_vjp_scale(ct * weight, xhat, rstd[..., None]))
    grad_weight = torch.einsum("bld,bld->d", ct, xhat)
    grad_bias = torch.einsum("bld->d", ct)
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), grad_bias.to(x.dtype)
