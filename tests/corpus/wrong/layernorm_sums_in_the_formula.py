# wrong: layernorm grad-sum-for-mean line 19
# fair: grad-sum-for-mean 17 18
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mean = torch.mean(x, -1, keepdim=True)
    std = torch.sqrt(torch.var(x, -1, keepdim=True, unbiased=False) + eps)
    return weight * ((x - mean) / std) + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mean = torch.mean(x, -1, keepdim=True)
    std = torch.sqrt(torch.var(x, -1, keepdim=True, unbiased=False) + eps)
    xh = (x - mean) / std
    g = grad_output * weight
    s1 = torch.sum(g, -1, keepdim=True)
    s2 = torch.sum(g * xh, -1, keepdim=True)
    grad_x = (g - s1 - xh * s2) / std
    return grad_x, torch.sum(grad_output * xh, (0, 1)), torch.sum(grad_output, (0, 1))
