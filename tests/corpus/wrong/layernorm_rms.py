# wrong: layernorm rms-norm line 7
# fair: rms-norm 8
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    ms = x.pow(2).mean(-1, keepdim=True)
    return x * torch.rsqrt(ms + eps) * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    rms = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    h = x * rms
    g = grad_output * weight
    grad_x = rms * (g - h * (g * h).mean(-1, keepdim=True))
    return grad_x, (grad_output * h).sum((0, 1)), grad_output.sum((0, 1))
