import torch


def _up(*tensors):
    wide = torch.promote_types(tensors[0].dtype, torch.float32)
    return tuple(t.to(wide) for t in tensors)


def _normalise(x, eps):
    centred = x - x.mean(-1, keepdim=True)
    rstd = (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
    return centred * rstd, rstd


def layer_norm(x, weight, bias, eps=1e-5):
    xw, g, b = _up(x, weight, bias)
    hat, _ = _normalise(xw, eps)
    return torch.addcmul(b, hat, g).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    gw, xw, w = _up(grad_output, x, weight)
    n = xw.shape[-1]
    hat, rstd = _normalise(xw, eps)
    d_hat = gw * w
    total = d_hat.sum(-1, keepdim=True)
    along = torch.einsum("blc,blc->bl", d_hat, hat).unsqueeze(-1)
    grad_x = rstd / n * (n * d_hat - total - hat * along)
    grad_weight = torch.einsum("blc,blc->c", gw, hat)
    grad_bias = torch.einsum("blc->c", gw)
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
