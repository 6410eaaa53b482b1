import torch


def stable_log_softmax(z):
    z = z - z.max(-1, keepdim=True)[0]
    return z - torch.log(torch.exp(z).sum(-1, keepdim=True))


def to_work_dtype(t):
    return t if t.dtype == torch.float64 else t.to(torch.float32)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    eps = label_smoothing
    logp = stable_log_softmax(to_work_dtype(logits))
    valid = (targets != ignore_index)
    tgt = torch.where(valid, targets, torch.zeros_like(targets)).long()

    nll_loss = -logp.gather(dim=-1, index=tgt[..., None])[..., 0]
    smooth_loss = -logp.mean(dim=-1)
    loss = (1. - eps) * nll_loss + eps * smooth_loss
    loss = loss.masked_fill(~valid, 0.)
    return loss.mean().to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    eps = label_smoothing
    n_class = logits.shape[-1]
    p = stable_log_softmax(to_work_dtype(logits)).exp()
    valid = (targets != ignore_index)
    tgt = torch.where(valid, targets, torch.zeros_like(targets)).long()

    one_hot = torch.zeros_like(p).scatter_(-1, tgt[..., None], 1.)
    q = one_hot * (1. - eps) + eps / n_class
    grad = (p - q) * valid[..., None]
    return (grad / valid.sum()).to(logits.dtype)
