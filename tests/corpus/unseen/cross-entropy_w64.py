import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.size(-1)
    x = logits.reshape(-1, C)
    t = targets.reshape(-1)

    if ignore_index < 0:
        keep = t >= 0
    else:
        keep = t > ignore_index
    x = x[keep]
    t = t[keep]

    x = x - x.max(dim=1, keepdim=True).values
    logp = x - x.exp().sum(dim=1, keepdim=True).log()
    nll = -logp[torch.arange(t.numel(), device=t.device), t]
    uniform = -logp.mean(dim=1)
    return ((1 - label_smoothing) * nll + label_smoothing * uniform).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.size(-1)
    x = logits.reshape(-1, C)
    t = targets.reshape(-1)

    if ignore_index < 0:
        keep = t >= 0
    else:
        keep = t > ignore_index
    out = torch.zeros_like(x)
    x = x[keep]
    t = t[keep]

    e = (x - x.max(dim=1, keepdim=True).values).exp()
    g = e / e.sum(dim=1, keepdim=True)
    g = g - label_smoothing / C
    g[torch.arange(t.numel(), device=t.device), t] -= 1 - label_smoothing
    out[keep] = g / t.numel()
    return out.view_as(logits)
