import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    x_hat = (x - mu) / torch.sqrt(var + eps)
    return x_hat * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    n = x.size(-1)
    mu = x.mean(-1, keepdim=True)
    std = torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + eps)
    x_hat = (x - mu) / std
    dx_hat = grad_output * weight
    dx = (n * dx_hat - dx_hat.sum(-1, keepdim=True) - x_hat * (dx_hat * x_hat).sum(-1, keepdim=True)) / (n * std)
    dw = (grad_output * x_hat).sum(dim=[0, 1])
    db = grad_output.sum(dim=[0, 1])
    return dx, dw, db
