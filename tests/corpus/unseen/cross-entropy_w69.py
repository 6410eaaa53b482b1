import torch


def _shifted_exp(z):
    z = z - z.amax(axis=-1, keepdims=True)
    e = torch.exp(z)
    return z, e, e.sum(axis=-1, keepdims=True)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = targets != ignore_index
    y = torch.where(keep, targets, 0).to(torch.int64)
    z, _, s = _shifted_exp(logits)
    logp = z - torch.log(s)
    hit = torch.take_along_dim(logp, y[..., None], dim=-1)[..., 0]
    per_token = -(1.0 - label_smoothing) * hit - label_smoothing * logp.mean(axis=-1)
    return per_token[keep].sum() / keep.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.shape[-1]
    keep = targets != ignore_index
    y = torch.where(keep, targets, 0).to(torch.int64)
    _, e, s = _shifted_exp(logits)
    P = e / s

    # one-hot by comparison with 0 .. C - 1; rows that do not count have no 1 in them
    Q = (torch.arange(C, device=logits.device) == y[..., None]) & keep[..., None]
    Q = Q.to(P.dtype) * (1.0 - label_smoothing)
    Q = Q + keep[..., None].to(P.dtype) * (label_smoothing / C)
    return (P - Q) / keep.sum()
