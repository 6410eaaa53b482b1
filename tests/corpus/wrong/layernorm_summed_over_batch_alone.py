# wrong: layernorm grad-weight-not-summed line 21
import torch


def moments(t, eps):
    m = t.mean(dim=-1, keepdim=True)
    return m, torch.sqrt(((t - m) ** 2).mean(dim=-1, keepdim=True) + eps)


def layer_norm(x, weight, bias, eps=1e-5):
    m, s = moments(x, eps)
    return (x - m) / s * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    m, s = moments(x, eps)
    n = (x - m) / s
    g = grad_output * weight
    a = g.mean(dim=-1, keepdim=True)
    b = (g * n).mean(dim=-1, keepdim=True)
    return (g - a - b * n) / s, (grad_output * n).sum(dim=0), grad_output.sum(dim=0)
