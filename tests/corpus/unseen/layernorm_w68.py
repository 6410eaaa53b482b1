"""Layer norm the speech way: time first, features last; the batch is only along for the ride."""
import torch


def _hat(tbc, eps):
    mu = tbc.mean(dim=2, keepdim=True)
    dev = tbc - mu
    sigma = (dev.pow(2).mean(dim=2, keepdim=True) + eps).sqrt()
    return dev / sigma, sigma


def _tbc(t):
    return t.transpose(0, 1).to(torch.promote_types(t.dtype, torch.float32))


def layer_norm(x, weight, bias, eps=1e-5):
    hat, _ = _hat(_tbc(x), eps)
    y = torch.addcmul(bias.to(hat), hat, weight.to(hat))
    return y.transpose(0, 1).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    dy = _tbc(grad_output)
    hat, sigma = _hat(_tbc(x), eps)

    dweight = (dy * hat).sum(dim=(0, 1))
    dbias = dy.sum(dim=(0, 1))

    dhat = dy * weight.to(dy)
    shift = dhat.mean(dim=2, keepdim=True)
    tilt = (dhat * hat).mean(dim=1, keepdim=True)
    dx = (dhat - shift - hat * tilt) / sigma
    return dx.transpose(0, 1).to(x.dtype), dweight.to(weight.dtype), dbias.to(weight.dtype)
