# wrong: layernorm grad-without-weight line 19
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    u = x.mean(-1, keepdim=True)
    s = (x - u).pow(2).mean(-1, keepdim=True)
    x = (x - u) / torch.sqrt(s + eps)
    return weight * x + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    u = x.mean(-1, keepdim=True)
    s = (x - u).pow(2).mean(-1, keepdim=True)
    std = torch.sqrt(s + eps)
    xn = (x - u) / std
    dw = torch.einsum("btd,btd->d", grad_output, xn)
    db = torch.einsum("btd->d", grad_output)
    dx = grad_output - grad_output.mean(-1, keepdim=True) - xn * (grad_output * xn).mean(-1, keepdim=True)
    return dx / std, dw, db
