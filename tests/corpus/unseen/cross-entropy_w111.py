import torch


def _logsumexp_tiles(x, width=128):
    """Running maximum and sum over tiles of the vocabulary."""
    m = x[..., :1]
    s = torch.zeros_like(m)
    for tile in x.split(width, dim=-1):
        new = torch.maximum(m, tile.amax(-1, keepdim=True))
        s = s * (m - new).exp() + (tile - new).exp().sum(-1, keepdim=True)
        m = new
    return m + s.log()


def _one_sequence(x, t, eps):
    lse = _logsumexp_tiles(x)[:, 0]
    picked = x.gather(-1, t[:, None])[:, 0]
    return lse - (1 - eps) * picked - eps * x.mean(-1)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    losses = []
    for xi, ti in zip(x, targets):
        keep = ti != ignore_index
        if keep.any():
            losses.append(_one_sequence(xi[keep], ti[keep].long(), label_smoothing).mean())
    return torch.stack(losses).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x = logits.detach().to(torch.promote_types(logits.dtype, torch.float32))
    keep = targets != ignore_index
    out = (x - _logsumexp_tiles(x)).exp() - label_smoothing / x.shape[-1]
    b, l = keep.nonzero(as_tuple=True)
    out[b, l, targets[keep].long()] -= 1 - label_smoothing
    return (out * keep[..., None] / keep.sum()).to(logits.dtype)
