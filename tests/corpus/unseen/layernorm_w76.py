import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True)
    x_norm = (x - mean) / torch.sqrt(var + eps)
    return x_norm * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    xc = x - mean
    rstd = (xc.pow(2).mean(dim=-1, keepdim=True) + eps).rsqrt()
    x_norm = xc * rstd

    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * x_norm).sum(dim=(0, 1))

    dxhat = grad_output * weight
    grad_x = rstd * (
        dxhat
        - dxhat.mean(dim=-1, keepdim=True)
        - x_norm * (dxhat * x_norm).mean(dim=-1, keepdim=True)
    )
    return grad_x, grad_weight, grad_bias
