# wrong: layernorm norm-wrong-axis line 20
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    return c * torch.rsqrt(c.pow(2).mean(-1, keepdim=True) + eps) * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    r = torch.rsqrt(c.pow(2).mean(-1, keepdim=True) + eps)
    unit = c * r
    grad_weight = torch.einsum("btd,btd->d", grad_output, unit)
    grad_bias = torch.einsum("btd->d", grad_output)
    g = grad_output * weight
    along = (g * unit).mean(-1, keepdim=True)
    grad_x = (
        g
        - g.mean(1, keepdim=True)
        - unit * along
    ) * r
    return grad_x, grad_weight, grad_bias
