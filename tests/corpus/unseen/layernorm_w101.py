import torch


# Karpathy style: forward with a cache, then the pieces in reverse

def forward_pieces(x, eps):
    x = x if x.dtype == torch.float64 else x.float()
    mean = x.mean(-1, keepdim=True)
    xc = x - mean
    var = (xc * xc).mean(-1, keepdim=True)
    return xc, var


def layer_norm(x, weight, bias, eps=1e-5):
    xc, var = forward_pieces(x, eps)
    out = xc / (var + eps).sqrt() * weight + bias
    return out.to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xc, var = forward_pieces(x, eps)
    rstd = 1.0 / (var.sqrt() + eps)
    norm = xc * rstd

    dout = grad_output.to(norm.dtype)
    dbias = dout.sum((0, 1))
    dweight = (dout * norm).sum((0, 1))

    dnorm = dout * weight
    dx = dnorm - dnorm.mean(-1, keepdim=True) - norm * (dnorm * norm).mean(-1, keepdim=True)
    dx = dx * rstd
    return dx.to(x.dtype), dweight.to(x.dtype), dbias.to(x.dtype)
