import torch


def moments(x, dim=-1):
    # tf.nn.moments
    mean = torch.mean(x, dim, keepdim=True)
    mean_of_squares = torch.mean(x * x, dim, keepdim=True)
    variance = torch.clamp(mean_of_squares - mean * mean, min=0.0)
    return mean, variance


def batch_independent_normalize(x, eps):
    mean, variance = moments(x)
    inv = torch.rsqrt(variance + eps)
    return (x - mean) * inv, inv


def layer_norm(x, weight, bias, eps=1e-5):
    y, _ = batch_independent_normalize(x if x.dtype == torch.float64 else x.float(), eps)
    return (y * weight + bias).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    dtype = x.dtype
    if dtype != torch.float64:
        x, grad_output, weight = x.float(), grad_output.float(), weight.float()
    y, inv = batch_independent_normalize(x, eps)

    grad_bias = torch.sum(grad_output, (0, 1))
    grad_weight = torch.sum(grad_output * y, (0, 1))

    dy = grad_output * weight
    dx = dy - torch.mean(dy, -1, keepdim=True) - y * torch.mean(dy * y, -1, keepdim=True)
    return (dx * inv).to(dtype), grad_weight.to(dtype), grad_bias.to(dtype)
