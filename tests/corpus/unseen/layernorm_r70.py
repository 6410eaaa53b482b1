# karpathy-style manual backprop: every intermediate has its own gradient
import torch

HALF = (torch.float16, torch.bfloat16)


def layer_norm(x, weight, bias, eps=1e-5):
    if x.dtype in HALF:
        x, weight, bias = x.float(), weight.float(), bias.float()
    xmean = x.mean(2, keepdim=True)
    xdiff = x - xmean
    xvar = (xdiff**2).mean(2, keepdim=True)
    xvar_inv = (xvar + eps) ** -0.5
    xraw = xdiff * xvar_inv
    return weight * xraw + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    if x.dtype in HALF:
        grad_output, x, weight = grad_output.float(), x.float(), weight.float()
    # forward again
    n = x.shape[2]
    xmean = x.mean(2, keepdim=True)
    xdiff = x - xmean
    xdiff2 = xdiff**2
    xvar = xdiff2.mean(2, keepdim=True)
    xvar_inv = (xvar + eps) ** -0.5
    xraw = xdiff * xvar_inv
    # backward, line by line
    dbias = grad_output.sum((0, 1))
    dweight = (grad_output * xraw).sum((0, 1))
    dxraw = grad_output * weight
    dxdiff = dxraw * xvar_inv
    dxvar_inv = (dxraw * xdiff).sum(2, keepdim=True)
    dxvar = dxvar_inv * -0.5 * (xvar + eps) ** -1.5
    dxdiff2 = torch.ones_like(xdiff2) / n * dxvar
    dxdiff = dxdiff + 2 * xdiff * dxdiff2
    dx = dxdiff.clone()
    dxmean = -dxdiff.sum(2, keepdim=True)
    dx = dx + torch.ones_like(x) / n * dxmean
    return dx, dweight, dbias
