# wrong: layernorm grad-order line 27
import torch


def normalise(x, eps):
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    rstd = torch.reciprocal(torch.sqrt(variance + eps))
    return (x - mean) * rstd, rstd


def layer_norm(x, weight, bias, eps=1e-5):
    x, _ = normalise(x, eps)
    return x * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    normed, rstd = normalise(x, eps)
    g_bias = grad_output.sum(dim=(0, 1))
    g_weight = (grad_output * normed).sum(dim=(0, 1))
    g_normed = grad_output * weight
    g_x = rstd * (
        g_normed
        - g_normed.mean(dim=-1, keepdim=True)
        - normed * (g_normed * normed).mean(dim=-1, keepdim=True)
    )
    return g_x, g_bias, g_weight
