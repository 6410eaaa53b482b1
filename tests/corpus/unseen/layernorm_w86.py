import torch


def _stats(x, eps):
    mu = x.mean(-1, keepdim=True)
    rstd = torch.rsqrt(((x - mu) ** 2).mean(-1, keepdim=True) + eps)
    return (x - mu) * rstd, rstd


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xhat, rstd = _stats(x, eps)
    dxhat = grad_output * weight
    m1 = dxhat.mean(-1, keepdim=True)
    m2 = (dxhat * xhat).mean(-1, keepdim=True)
    return (dxhat - m1 - xhat * m2) * rstd, (grad_output * xhat).sum((0, 1)), grad_output.sum((0, 1))


class _LayerNorm(torch.autograd.Function):
    """Keeps x̂ and 1/σ, so that the way back does not norm again."""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        xhat, rstd = _stats(x, eps)
        ctx.save_for_backward(xhat, rstd, weight)
        return xhat * weight + bias

    @staticmethod
    def backward(ctx, grad_output):
        xhat, rstd, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        dxhat = grad_output
        if ctx.needs_input_grad[1]:
            dxhat = grad_output * weight
            grad_weight = (grad_output * xhat).sum((0, 1))
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum((0, 1))
        if ctx.needs_input_grad[0]:
            m1 = dxhat.mean(-1, keepdim=True)
            m2 = (dxhat * xhat).mean(-1, keepdim=True)
            grad_x = (dxhat - m1 - xhat * m2) * rstd
        return grad_x, grad_weight, grad_bias, None


def layer_norm(x, weight, bias, eps=1e-5):
    return _LayerNorm.apply(x, weight, bias, eps)
