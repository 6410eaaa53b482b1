import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    x_hat = (x - mean) / torch.sqrt(var + eps)
    return x_hat * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    # recompute what the forward pass had
    mean = x.mean(dim=-1, keepdim=True)
    inv_std = torch.rsqrt(x.var(dim=-1, keepdim=True) + eps)
    x_hat = (x - mean) * inv_std

    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * x_hat).sum(dim=(0, 1))

    g = grad_output * weight
    g_mean = g.mean(dim=-1, keepdim=True)
    gx_mean = (g * x_hat).mean(dim=-1, keepdim=True)
    grad_x = inv_std * (g - g_mean - x_hat * gx_mean)
    return grad_x, grad_weight, grad_bias
