import torch


def logsoftmax(z):
    z = z - z.max(dim=-1, keepdim=True)[0]
    return z - torch.log(torch.sum(torch.exp(z), dim=-1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    eps = label_smoothing
    C = logits.size(-1)
    lp = logsoftmax(logits).reshape(-1, C)
    y = targets.reshape(-1).long()
    keep = (y != ignore_index)
    idx = y.unsqueeze(1)
    nll = -torch.gather(lp, 1, idx).squeeze(1)
    uni = -lp.sum(dim=1) / C
    loss = (1 - eps) * nll + eps * uni
    return loss[keep].sum() / keep.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    eps = label_smoothing
    C = logits.size(-1)
    keep = targets != ignore_index
    p = torch.exp(logsoftmax(logits))
    q = torch.full_like(p, eps / C)
    y = targets.masked_fill(~keep, 0).long().unsqueeze(-1)
    q.scatter_add_(-1, y, torch.full_like(y, 1, dtype=p.dtype) * (1 - eps))
    return (p - q) * keep.unsqueeze(-1) / keep.sum()
