# step by step, as on paper (micrograd / makemore style): every intermediate has its d-something
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    var, mu = torch.var_mean(x.double(), dim=-1, correction=0, keepdim=True)
    xhat = (x.double() - mu) / (var + eps).sqrt()
    return torch.addcmul(bias.double(), xhat, weight.double()).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    n = x.shape[-1]
    dy, xd, w = grad_output.double(), x.double(), weight.double()
    # forward again
    mu = xd.sum(-1, keepdim=True) / n
    diff = xd - mu
    var = diff.pow(2).sum(-1, keepdim=True) / n
    inv = (var + eps) ** -0.5
    xhat = diff * inv
    # backward, last line first
    dbias = dy.flatten(0, -2).sum(0)
    dweight = (dy * xhat).flatten(0, -2).sum(0)
    dxhat = dy * w
    ddiff = dxhat * inv
    dinv = (dxhat * diff).sum(-1, keepdim=True)
    dvar = -0.5 * (var + eps) ** -1.5 * dinv
    ddiff = ddiff + 2.0 / n * diff * dvar
    dmu = -ddiff.sum(-1, keepdim=True)
    dx = ddiff + dmu / n
    return dx.to(x.dtype), dweight.to(weight.dtype), dbias.to(weight.dtype)
