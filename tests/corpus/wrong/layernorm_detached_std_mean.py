# wrong: layernorm detached line 5
import torch

def layer_norm(x, weight, bias, eps=1e-5):
    with torch.no_grad():
        std, mean = torch.std_mean(x, dim=-1, keepdim=True, correction=0)
    return (x - mean) / (std ** 2 + eps).sqrt() * weight + bias

def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    r = torch.rsqrt(var + eps)
    xhat = (x - mean) * r
    wgo = grad_output * weight
    c1 = (wgo * xhat).mean(dim=-1, keepdim=True)
    c2 = wgo.mean(dim=-1, keepdim=True)
    return (wgo - c2 - xhat * c1) * r, (grad_output * xhat).sum((0, 1)), grad_output.sum((0, 1))
