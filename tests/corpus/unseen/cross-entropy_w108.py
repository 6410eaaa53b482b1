import torch
import torch.nn.functional as F


def _upcast(t):
    return t.to(torch.promote_types(t.dtype, torch.float32))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    rows = _upcast(logits).flatten(0, 1)
    labels = targets.flatten()
    counted = labels.ne(ignore_index).nonzero().squeeze(1)
    rows, labels = rows[counted], labels[counted].long()
    top = rows.max(dim=1, keepdim=True).values
    lse = top + (rows - top).exp().sum(dim=1, keepdim=True).log()
    nll = lse.squeeze(1) - rows.gather(1, labels[:, None]).squeeze(1)
    uniform = lse.squeeze(1) - rows.mean(dim=1)
    return ((1 - label_smoothing) * nll + label_smoothing * uniform).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z = _upcast(logits)
    counted = targets != ignore_index
    e = (z - z.max(dim=-1, keepdim=True).values).exp()
    p = e / e.sum(dim=-1, keepdim=True)
    onehot = F.one_hot(targets.long().masked_fill(~counted, 0), z.shape[-1]).to(p.dtype)
    q = (1 - label_smoothing) * onehot + label_smoothing / z.shape[-1]
    grad = torch.where(counted[..., None], p - q, torch.zeros_like(p))
    return grad / targets.numel()
