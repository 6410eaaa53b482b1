import torch


def _standardise(x, eps):
    mu = x.mean(-1, keepdim=True)
    dev = x - mu
    rstd = torch.rsqrt(dev.square().mean(-1, keepdim=True) + eps)
    return dev * rstd, rstd


def layer_norm(x, weight, bias, eps=1e-5):
    wide = torch.promote_types(x.dtype, torch.float32)
    xhat, _ = _standardise(x.to(wide), eps)
    return (xhat * weight.to(wide) + bias.to(wide)).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    wide = torch.promote_types(x.dtype, torch.float32)
    g = grad_output.to(wide)
    xhat, rstd = _standardise(x.to(wide), eps)
    gw = g * weight.to(wide)
    # project gw off the all-ones vector and off xhat
    grad_x = (gw - gw.mean(-1, keepdim=True) - xhat * (gw * xhat).mean(-1, keepdim=True)) * rstd
    grad_weight = torch.einsum("bth,bth->h", g, xhat)
    grad_bias = g.flatten(0, -2).sum(0)
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
