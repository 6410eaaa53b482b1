import torch


def _stats(x, eps):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) / (var + eps) ** 0.5, (var + eps) ** 0.5


def layer_norm(x, weight, bias, eps=1e-5):
    return _stats(x, eps)[0] * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    D = x.shape[-1]
    xh, sd = _stats(x, eps)
    # dx = J g with J = (I - 11'/D - xh xh'/D) / sd; all terms over one denominator
    g = grad_output * weight
    grad_x = (D * g - g.sum(-1, keepdim=True) - xh * torch.einsum("bld,bld->bl", g, xh)[..., None]) / (D * sd)
    grad_weight = torch.einsum("bld,bld->d", grad_output, xh)
    grad_bias = torch.einsum("bld->d", grad_output)
    return grad_x, grad_weight, grad_bias
