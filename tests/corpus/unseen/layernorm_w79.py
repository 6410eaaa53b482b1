import torch


def layer_norm(x, weight, bias, eps=1e-5):
    """x: (batch, length, hidden_dim)"""
    mean = torch.mean(x, dim=-1, keepdim=True)
    var = torch.var(x, dim=-1, keepdim=True, correction=0)
    y = (x - mean) / torch.sqrt(var + eps)
    return y * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mean = torch.mean(x, dim=-1, keepdim=True)
    var = torch.var(x, dim=-1, keepdim=True, correction=0)
    std = torch.sqrt(var + eps)
    x_hat = (x - mean) / std

    grad_weight = torch.sum(grad_output * x_hat, dim=(0, 1))
    grad_bias = torch.sum(grad_output, dim=(0, 1))

    grad_x_hat = grad_output * weight
    grad_mean = torch.mean(grad_x_hat, dim=-1, keepdim=True)
    grad_x = (grad_x_hat - grad_mean) / std
    return grad_x, grad_weight, grad_bias
