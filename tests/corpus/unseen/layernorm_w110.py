import torch
from torch import einsum


def _hat(x, eps):
    mu = einsum("btc->bt", x)[..., None] / x.shape[-1]
    xc = x - mu
    var = einsum("btc,btc->bt", xc, xc)[..., None] / x.shape[-1]
    r = torch.rsqrt(var + eps)
    return xc * r, r


def _up(t):
    return t.to(torch.promote_types(t.dtype, torch.float32))


def layer_norm(x, weight, bias, eps=1e-5):
    h, _ = _hat(_up(x), eps)
    return (einsum("btc,c->btc", h, _up(weight)) + _up(bias)).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    g, w = _up(grad_output), _up(weight)
    h, r = _hat(_up(x), eps)
    C = x.shape[-1]

    a = einsum("btc,c->bt", g, w) / C
    b = einsum("btc,btc->bt", g, h) / C
    dx = r * (g * w - a[..., None] - h * b[..., None])

    dw = einsum("btc,btc->c", g, h)
    db = einsum("btc->c", g)
    return dx.to(x.dtype), dw.to(weight.dtype), db.to(weight.dtype)
