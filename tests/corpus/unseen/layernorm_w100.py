import torch


def layer_norm(x, weight, bias, eps=1e-5):
    n = x.shape[-1]
    mu = x.sum(-1, keepdim=True) / n
    dev = x - mu
    var = torch.einsum("bld,bld->bl", dev, dev).unsqueeze(-1) / n
    return torch.addcmul(bias, dev * var.add(eps).rsqrt(), weight)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    n = x.shape[-1]
    dev = x - x.mean(-1, keepdim=True)
    var = dev.pow(2).sum(-1, keepdim=True) / n
    inv = torch.rsqrt(var + eps)

    d_bias = torch.einsum("bld->d", grad_output)
    d_weight = torch.einsum("bld,bld->d", grad_output, dev)

    d_hat = grad_output * weight
    d_var = (d_hat * dev).sum(-1, keepdim=True) * -0.5 * inv**3
    d_mu = -(d_hat * inv).sum(-1, keepdim=True)
    d_x = d_hat * inv + d_var * 2 * dev / n + d_mu / n
    return d_x, d_weight, d_bias
