import torch

_saved = {}


def _stats(x, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return mean, 1.0 / torch.sqrt(var + eps)


def layer_norm(x, weight, bias, eps=1e-5):
    mean, rstd = _stats(x, eps)
    # two numbers a position are all that backward needs besides x
    _saved.clear()
    _saved[(x.data_ptr(), x.shape)] = (mean.detach(), rstd.detach())
    return (x - mean) * rstd * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    stats = _saved.get((x.data_ptr(), x.shape))
    mean, rstd = stats if stats is not None else _stats(x, eps)
    n = x.shape[-1]
    xhat = (x - mean) * rstd

    dy = grad_output * weight
    s1 = dy.sum(-1, keepdim=True) / n
    s2 = (dy * xhat).sum(-1, keepdim=True) / n
    grad_x = (dy - s1 - xhat * s2) * rstd

    grad_weight = torch.einsum("bld,bld->d", grad_output, xhat)
    grad_bias = torch.einsum("bld->d", grad_output)
    return grad_x, grad_weight, grad_bias
