import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    return weight * ((x - mean) / torch.sqrt(var + eps)) + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    std = torch.sqrt(var + eps)
    x_hat = (x - mean) / std

    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * x_hat).sum(dim=(0, 1))

    a = grad_output - grad_output.mean(dim=-1, keepdim=True)
    b = x_hat * (grad_output * x_hat).mean(dim=-1, keepdim=True)
    grad_x = weight * (a - b) / std
    return grad_x, grad_weight, grad_bias
