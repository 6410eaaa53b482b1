# wrong: cross-entropy loss-unstable line 11
import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.shape[-1]
    rows = logits.view(-1, C) if logits.is_contiguous() else logits.reshape(-1, C)
    y = targets.reshape(-1)
    sel = y.ne(ignore_index).nonzero().squeeze(1)
    rows, y = rows[sel], y[sel]
    log_z = torch.log(torch.sum(torch.exp(rows), dim=1))
    nll = log_z - rows[torch.arange(y.numel(), device=y.device), y]
    flat = log_z - rows.mean(dim=1)
    return torch.mean(nll + label_smoothing * (flat - nll))


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.shape[-1]
    y = targets.reshape(-1)
    on = y.ne(ignore_index)
    z = logits.reshape(-1, C)
    z = z - z.max(1, keepdim=True).values
    e = torch.exp(z)
    g = e / e.sum(1, keepdim=True)
    g[on.nonzero().squeeze(1), y[on]] -= 1 - label_smoothing
    g -= label_smoothing / C
    g *= on[:, None]
    return g.view_as(logits) / on.sum()
