import torch


def _float(*tensors):
    # half precision is too coarse for the statistics
    return [t.float() if t.dtype in (torch.float16, torch.bfloat16) else t for t in tensors]


def layer_norm(x, weight, bias, eps=1e-5):
    x, weight, bias = _float(x, weight, bias)
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    grad_output, x, weight = _float(grad_output, x, weight)
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    std = torch.sqrt(var + eps)
    x_hat = (x - mean) / std
    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * x_hat).sum(dim=(0, 1))
    grad_x = grad_output * weight / std
    return grad_x, grad_weight, grad_bias
