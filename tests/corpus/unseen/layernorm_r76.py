# attn-kata: layernorm
import torch


def _wide(t):
    return t if t.dtype == torch.float64 else t.to(torch.float32)


def _stats(x, eps):
    var, mu = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return mu, (var + eps) ** -0.5


def layer_norm(x, weight, bias, eps=1e-5):
    z = _wide(x)
    mu, r = _stats(z, eps)
    return torch.addcmul(_wide(bias), (z - mu) * r, _wide(weight)).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    with torch.no_grad():
        z, g = _wide(x), _wide(grad_output)
        mu, r = _stats(z, eps)
        n = (z - mu) * r
        h = g * _wide(weight)
        d = x.shape[-1]
        # project h onto the complement of span{1, n}
        c1 = h.sum(-1, keepdim=True) / d
        c2 = torch.einsum("...d,...d->...", h, n).unsqueeze(-1) / d
        gx = r * (h - c1 - n * c2)
        gw = torch.einsum("bld,bld->d", g, n)
        gb = torch.einsum("bld->d", g)
    return gx.to(x.dtype), gw.to(x.dtype), gb.to(x.dtype)
