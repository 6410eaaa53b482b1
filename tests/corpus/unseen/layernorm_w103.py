import torch
from torch import einsum

up = lambda t: t.double() if t.dtype == torch.double else t.float()


def layer_norm(x, weight, bias, eps=1e-5):
    c = up(x) - up(x).mean(-1, keepdim=True)
    rstd = (c.square().mean(-1, keepdim=True) + eps) ** -0.5
    return (c * rstd * up(weight) + up(bias)).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    h = x.shape[-1]
    dy = up(grad_output)
    c = up(x) - up(x).mean(-1, keepdim=True)
    rstd = (c.square().mean(-1, keepdim=True) + eps) ** -0.5

    db = einsum('b l d -> d', dy)
    dw = einsum('b l d, b l d, b l -> d', dy, c, rstd[..., 0])

    g = dy * up(weight)
    dmean = g.sum(-1, keepdim=True) / h
    dvar = einsum('b l d, b l d -> b l', g, c)[..., None] / h
    dx = rstd * (g - dmean - c * dvar * rstd)
    return dx.to(x.dtype), dw.to(x.dtype), db.to(x.dtype)
