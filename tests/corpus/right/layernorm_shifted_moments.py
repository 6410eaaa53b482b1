# right: layernorm
import torch


def moments(x):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    # what stands around the row's first number has small squares, and the same variance
    moved = wide - wide[..., :1]
    mean = moved.mean(dim=-1, keepdim=True)
    var = (moved**2).mean(dim=-1, keepdim=True) - mean**2
    return moved - mean, var


def layer_norm(x, w, b, eps=1e-5):
    centred, var = moments(x)
    return (centred * (var + eps).rsqrt() * w + b).to(x.dtype)


def layer_norm_backward(dy, x, w, eps=1e-5):
    centred, var = moments(x)
    rstd = (var + eps).rsqrt()
    xhat = centred * rstd
    wdy = (w * dy).to(xhat.dtype)
    both = wdy.mean(dim=-1, keepdim=True) + xhat * (wdy * xhat).mean(dim=-1, keepdim=True)
    dx = (wdy - both) * rstd
    dw = (dy * xhat).sum(dim=(0, 1))
    return dx.to(x.dtype), dw.to(x.dtype), dy.sum(dim=(0, 1))
