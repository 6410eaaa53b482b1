import torch


def _logp(x):
    x = x - x.amax(-1, keepdim=True)
    return x - x.exp().sum(-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    C = logits.size(-1)
    lp = _logp(logits).view(-1, C)
    t = targets.reshape(-1)
    keep = t != ignore_index
    lp, t = lp[keep], t[keep].long()
    nll = -lp.gather(1, t[:, None]).squeeze(1)
    smooth = -lp.mean(1)
    return ((1 - label_smoothing) * nll + label_smoothing * smooth).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    B, T, C = logits.shape
    p = _logp(logits).exp()
    keep = (targets != ignore_index).unsqueeze(-1)
    t = targets.masked_fill(targets == ignore_index, 0).long()
    q = torch.zeros_like(p).scatter_(-1, t.unsqueeze(-1), 1.0)
    q = q * (1 - label_smoothing) + label_smoothing / C
    g = (p - q) * keep
    return g / (B * T)
