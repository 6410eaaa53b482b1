import functools
import torch
from torch.autograd.function import once_differentiable


def _in_float(fn):
    """half precision comes in, float32 is worked in, half precision goes out"""

    @functools.wraps(fn)
    def run(*tensors, eps=1e-5):
        dt = tensors[0].dtype
        up = torch.promote_types(dt, torch.float32)
        got = fn(*(t.to(up) for t in tensors), eps=eps)
        return tuple(t.to(dt) for t in got) if isinstance(got, tuple) else got.to(dt)

    return run


def _stats(x, eps):
    mu = x.sum(-1, keepdim=True) / x.size(-1)
    mu = mu + (x - mu).sum(-1, keepdim=True) / x.size(-1)       # second pass for the mean as well
    c = x - mu
    sigma = torch.hypot(torch.linalg.vector_norm(c, dim=-1, keepdim=True) / x.size(-1) ** 0.5, c.new_tensor(eps**0.5))
    return c, sigma


class _LN(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return _forward(x, weight, bias, eps=eps)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return (*_backward(g, x, weight, eps=ctx.eps), None)


@_in_float
def _forward(x, weight, bias, *, eps):
    c, sigma = _stats(x, eps)
    return c / sigma * weight + bias


@_in_float
def _backward(g, x, weight, *, eps):
    c, sigma = _stats(x, eps)
    h = (c / sigma).flatten(0, -2)
    g = g.flatten(0, -2)
    gw = torch.mv(g.t(), g.new_ones(g.size(0)))
    u = g * weight
    u = u - u.mean(1, keepdim=True) - h * torch.mean(u * h, 1, keepdim=True)
    return u.view_as(x) / sigma, (g * h).sum(0), gw


def layer_norm(x, weight, bias, eps=1e-5):
    return _LN.apply(x, weight, bias, eps)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    return _backward(grad_output, x, weight, eps=eps)
