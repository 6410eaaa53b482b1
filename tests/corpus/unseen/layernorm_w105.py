import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    var = x.var(-1, unbiased=False, keepdim=True)
    return (x - mu) / torch.sqrt(var + eps) * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    n = x.shape[-1]
    mu = x.mean(-1, keepdim=True)
    xc = x - mu
    inv = (xc.pow(2).mean(-1, keepdim=True) + eps).rsqrt
    xhat = xc * inv

    dbias = grad_output.reshape(-1, n).sum(0)
    dweight = (grad_output * xhat).reshape(-1, n).sum(0)

    dxhat = grad_output * weight
    dx = inv / n * (n * dxhat - dxhat.sum(-1, keepdim=True) - xhat * (dxhat * xhat).sum(-1, keepdim=True))
    return dx, dweight, dbias
