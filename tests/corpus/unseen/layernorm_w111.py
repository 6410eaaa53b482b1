import torch


def _stats(x, eps):
    if x.dtype != torch.float64:
        x = x.float()
    mu = x.mean(-1, keepdim=True)
    xc = x - mu
    rstd = (xc.square().mean(-1, keepdim=True) + eps).rsqrt()
    return xc * rstd, rstd


def layer_norm(x, weight, bias, eps=1e-5):
    xhat, _ = _stats(x, eps)
    return (xhat * weight + bias).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xhat, rstd = _stats(x, eps)
    dout = grad_output.to(xhat.dtype)
    # llm.c style
    dnorm = dout * weight
    dnorm_mean = dnorm.mean(-1, keepdim=True)
    dnorm_norm_mean = (dout * xhat).mean(-1, keepdim=True)
    dx = (dnorm - dnorm_mean - xhat * dnorm_norm_mean) * rstd
    dw = (dout * xhat).sum((0, 1))
    db = dout.sum((0, 1))
    return dx.to(x.dtype), dw.to(x.dtype), db.to(x.dtype)
