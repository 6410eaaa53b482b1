import torch


@torch.no_grad()
def row_statistics(x, eps):
    """(mean, 1 / sqrt(var + eps)) of each row: all that the backward pass will want to have saved."""
    mean = x.mean(-1, keepdim=True)
    dev = x - mean
    var = torch.einsum("...h,...h->...", dev, dev).unsqueeze(-1) / x.shape[-1]
    return mean, (var + eps).rsqrt()


def layer_norm(x, weight, bias, eps=1e-5):
    xs = x.double() if x.dtype == torch.float64 else x.float()
    mean, inv_std = row_statistics(xs, eps)
    out = (xs - mean) * inv_std
    return torch.add(out * weight, bias).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xs = x.double() if x.dtype == torch.float64 else x.float()
    go = grad_output.to(xs.dtype)
    mean, inv_std = row_statistics(xs, eps)
    norm = (xs - mean) * inv_std

    grad_bias = go.sum((0, 1))
    grad_weight = torch.einsum("blh,blh->h", go, norm)
    through = go * weight.to(xs.dtype)
    along = (through * norm).mean(-1, keepdim=True)
    grad_x = inv_std * (through - through.mean(-1, keepdim=True) - norm * along)
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
