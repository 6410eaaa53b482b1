"""Chan's parallel update: statistics of pieces of the feature axis, merged two by two."""
from functools import reduce

import torch


def _piece(x):
    m = x.mean(-1, keepdim=True)
    return x.shape[-1], m, (x - m).square().sum(-1, keepdim=True)


def _join(a, b):
    (na, ma, sa), (nb, mb, sb) = a, b
    n, delta = na + nb, mb - ma
    return n, ma + delta * (nb / n), sa + sb + delta.square() * (na * nb / n)


def _normalised(x, eps):
    n, mean, m2 = reduce(_join, map(_piece, x.split(100, dim=-1)))
    inv = torch.rsqrt(m2 / n + eps)
    return (x - mean) * inv, inv


def layer_norm(x, weight, bias, eps=1e-5):
    wide = torch.promote_types(x.dtype, torch.float32)
    xhat, _ = _normalised(x.to(wide), eps)
    return torch.addcmul(bias.to(wide), xhat, weight.to(wide)).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    wide = torch.promote_types(x.dtype, torch.float32)
    xhat, inv = _normalised(x.to(wide), eps)
    go = grad_output.to(wide)
    g = go * weight.to(wide)
    h = x.shape[-1]
    # project out the two directions that the normalisation cannot pass on: ones and xhat
    g = g - g.sum(-1, keepdim=True) / h - xhat * (torch.linalg.vecdot(g, xhat).unsqueeze(-1) / h)
    grad_w = torch.einsum("blh,blh->h", go, xhat)
    grad_b = torch.einsum("blh->h", go)
    return (g * inv).to(x.dtype), grad_w.to(weight.dtype), grad_b.to(weight.dtype)
