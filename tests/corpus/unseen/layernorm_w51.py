import torch


def _normalise(x, eps=1e-5):
    x = x.double()
    mu = x.mean(-1, keepdim=True)
    xc = x - mu
    rstd = 1 / torch.sqrt(xc.pow(2).mean(-1, keepdim=True) + eps)
    return xc * rstd, rstd


def layer_norm(x, weight, bias, eps=1e-5):
    xhat, _ = _normalise(x, eps)
    return (xhat * weight + bias).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xhat, rstd = _normalise(x)
    dy = grad_output.double()
    dxhat = dy * weight
    dx = dxhat - dxhat.mean(-1, keepdim=True) - xhat * (dxhat * xhat).mean(-1, keepdim=True)
    dx = dx * rstd
    dw = (dy * xhat).sum((0, 1))
    db = dy.sum((0, 1))
    return dx.to(x.dtype), dw.to(x.dtype), db.to(x.dtype)
