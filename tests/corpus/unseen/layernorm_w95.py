# LayerNorm over the last axis: forward, and its gradients by hand.

import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    x_hat = (x - mean) / torch.sqrt(var + eps)
    return x_hat * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    # recompute what the forward pass had
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    std = torch.sqrt(var + eps)
    x_hat = (x - mean) / std

    # parameters: sum over batch and length
    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * x_hat).sum(dim=(0, 1))

    # input: through x_hat, the mean and the variance
    grad_x_hat = grad_output
    mean_g = grad_x_hat.mean(dim=-1, keepdim=True)
    mean_gx = (grad_x_hat * x_hat).mean(dim=-1, keepdim=True)
    grad_x = weight * (grad_x_hat - mean_g - x_hat * mean_gx) / std

    return grad_x, grad_weight, grad_bias
