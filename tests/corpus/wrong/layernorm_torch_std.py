# wrong: layernorm norm-unbiased line 8
# fair: norm-unbiased 9
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return weight * (x - mean) / (std + eps) + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    rstd = torch.rsqrt(x.var(-1, keepdim=True, correction=0) + eps)
    xhat = (x - mean) * rstd
    g = grad_output * weight
    dx = rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))
    return dx, (grad_output * xhat).sum((0, 1)), grad_output.sum((0, 1))
