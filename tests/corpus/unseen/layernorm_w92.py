import torch


def _stats(x, eps):
    mu = x.mean(dim=2, keepdim=True)
    xc = x - mu
    ivar = 1.0 / torch.sqrt((xc ** 2).mean(dim=2, keepdim=True) + eps)
    return xc, ivar


def layer_norm(x, weight, bias, eps=1e-5):
    xc, ivar = _stats(x, eps)
    return xc * ivar * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    # cs231n style
    N, T, D = x.shape
    xc, ivar = _stats(x, eps)
    xhat = xc * ivar

    dgamma = (grad_output * xhat).reshape(N * T, D).sum(0)
    dbeta = grad_output.reshape(N * T, D).sum(0)

    dxhat = grad_output
    t1 = D * dxhat
    t2 = dxhat.sum(dim=2, keepdim=True)
    t3 = xhat * (dxhat * xhat).sum(dim=2, keepdim=True)
    dx = ivar / D * (t1 - t2 - t3)
    return dx, dgamma, dbeta
