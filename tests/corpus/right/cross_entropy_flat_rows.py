# right: cross-entropy
import torch


def _flat(logits, targets, ignore_index):
    rows = logits.reshape(-1, logits.shape[-1])
    flat = targets.reshape(-1)
    keep = flat != ignore_index
    return rows, flat, keep


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    rows, flat, keep = _flat(logits, targets, ignore_index)
    rows, flat = rows[keep], flat[keep]
    m = rows.max(dim=1, keepdim=True).values
    lse = m + torch.log(torch.exp(rows - m).sum(dim=1, keepdim=True))
    logp = rows - lse
    nll = -logp[torch.arange(len(flat), device=rows.device), flat]
    smooth = -logp.mean(dim=1)
    return ((1 - label_smoothing) * nll + label_smoothing * smooth).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    rows, flat, keep = _flat(logits, targets, ignore_index)
    n, c = rows.shape
    m = rows.max(dim=1, keepdim=True).values
    p = torch.exp(rows - m)
    p = p / p.sum(dim=1, keepdim=True)
    grad = p - label_smoothing / c
    index = torch.arange(n, device=rows.device)[keep]
    grad[index, flat[keep]] -= 1 - label_smoothing
    grad[~keep] = 0
    return (grad / keep.sum()).reshape(logits.shape)
