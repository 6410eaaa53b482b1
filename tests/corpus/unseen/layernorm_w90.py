# attn-kata: layernorm
import torch


def _norm(x, eps):
    centred = x - x.mean(-1, keepdim=True)
    inv = torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps)
    return centred * inv, inv


def layer_norm(x, weight, bias, eps=1e-5):
    x_hat, _ = _norm(x, eps)
    return x_hat * weight + bias


def _through_norm(g, x_hat, inv):
    """gradient at x, from the gradient at x_hat"""
    along = (g * x_hat).mean(-1, keepdim=True)
    return inv * (g - g.mean(-1, keepdim=True) - x_hat * along)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    x_hat, inv = _norm(x, eps)
    grad_x = _through_norm(grad_output, x_hat, inv) * weight
    flat_g = grad_output.flatten(0, 1)
    grad_weight = (flat_g * x_hat.flatten(0, 1)).sum(0)
    return grad_x, grad_weight, flat_g.sum(0)
