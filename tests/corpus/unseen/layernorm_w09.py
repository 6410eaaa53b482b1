import torch

_DEFAULT_EPS = 1e-5


def _stats(t, eps=_DEFAULT_EPS):
    t = t.to(torch.float64) if t.dtype == torch.float64 else t.to(torch.float32)
    mu = t.mean(-1, keepdim=True)
    dev = t - mu
    sigma = dev.square().mean(-1, keepdim=True).add(eps).sqrt()
    return dev, sigma


def layer_norm(x, weight, bias, eps=_DEFAULT_EPS):
    dev, sigma = _stats(x, eps)
    return (dev.div(sigma).mul(weight).add(bias)).type_as(x)


def layer_norm_backward(grad_output, x, weight, eps=_DEFAULT_EPS):
    dev, sigma = _stats(x)
    norm = dev / sigma
    up = grad_output.type_as(norm)

    # with respect to the parameters
    gw, gb = (up * norm).sum(dim=[0, 1]), up.sum(dim=[0, 1])

    # with respect to x: take away what the mean and the variance absorb
    g = up * weight.type_as(norm)
    along = (g * norm).mean(-1, keepdim=True)
    gx = (g - g.mean(-1, keepdim=True) - along * norm) / sigma
    return gx.type_as(x), gw.type_as(weight), gb.type_as(weight)
