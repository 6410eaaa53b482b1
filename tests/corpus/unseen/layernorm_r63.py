"""LayerNorm for people whose features are not last: (B, T, C) is turned to (C, T, B) and back."""
import torch


def _turn(t):
    return t.permute(2, 1, 0)


def _wide(*tensors):
    dt = torch.promote_types(tensors[0].dtype, torch.float32)
    return [t.to(dt) for t in tensors]


def _standardise(x, eps):
    # features are axis 0 here
    centre = x - x.mean(0)
    power = centre.square().mean(0)
    inv = (power + eps).rsqrt()
    return centre * inv, inv


def layer_norm(x, weight, bias, eps=1e-5):
    wx, ww, wb = _wide(x, weight, bias)
    xhat, _ = _standardise(_turn(wx), eps)
    y = xhat * ww[:, None, None] + wb[:, None, None]
    return _turn(y).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    g, wx, ww = _wide(grad_output, x, weight)
    g = _turn(g)
    xhat, inv = _standardise(_turn(wx), eps)
    n = x.shape[-1]

    grad_bias = g.sum((1, 2))
    grad_weight = torch.einsum("ctb,ctb->c", g, xhat)

    h = g * ww[:, None, None]
    # all of it over n, so that there is one division at the end
    along_ones = h.sum(0)
    along_xhat = torch.einsum("ctb,ctb->tb", h, xhat)
    grad_x = inv / n * (n * h - along_ones - xhat * along_xhat)
    return _turn(grad_x).to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
