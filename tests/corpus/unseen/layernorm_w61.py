import torch


def _statistics(x, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
    return mean, torch.rsqrt(variance + eps)


def layer_norm(x, weight, bias, eps=1e-5):
    xf = x.to(torch.promote_types(x.dtype, torch.float32))
    mean, rstd = _statistics(xf, eps)
    return ((xf - mean) * rstd * weight + bias).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    acc = torch.promote_types(x.dtype, torch.float32)
    xf, dy = x.to(acc), grad_output.to(acc)
    mean, rstd = _statistics(xf)
    x_hat = (xf - mean) * rstd

    wdy = dy * weight.to(acc)
    c1 = (x_hat * wdy).mean(dim=-1, keepdim=True)
    c2 = wdy.mean(dim=-1, keepdim=True)
    dx = (wdy - (x_hat * c1 + c2)) * rstd
    dw = (dy * x_hat).sum(dim=(0, 1))
    db = dy.sum(dim=(0, 1))
    return dx.to(x.dtype), dw.to(weight.dtype), db.to(weight.dtype)
