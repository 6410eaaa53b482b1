import torch


def _log_softmax_by_hand(z):
    z = z - z.amax(-1, keepdim=True)
    return z - torch.log(torch.sum(torch.exp(z), -1, keepdim=True))


def _prepare(logits, targets, ignore_index):
    wide = torch.promote_types(logits.dtype, torch.float32)
    w = (targets != ignore_index).to(wide)
    idx = (targets * (targets != ignore_index)).long()
    return logits.to(wide), idx, w


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, idx, w = _prepare(logits, targets, ignore_index)
    lp = _log_softmax_by_hand(z)
    hit = torch.take_along_dim(lp, idx[..., None], dim=-1)[..., 0]
    nll = -(hit + label_smoothing * (lp.mean(-1) - hit))
    seqs = (nll * w).sum(1) / w.sum(1).clamp(min=1)
    return seqs[w.sum(1) > 0].mean().to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, idx, w = _prepare(logits, targets, ignore_index)
    C = z.shape[-1]
    g = _log_softmax_by_hand(z).exp() - label_smoothing / C
    onehot = torch.arange(C, device=z.device) == idx[..., None]
    g = g - (1 - label_smoothing) * onehot.to(g.dtype)
    return (g * w[..., None] / w.sum()).to(logits.dtype)
