import torch


def _log_softmax(x):
    x = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    m = x.max(dim=-1, keepdim=True).values
    return x - m - (x - m).exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    B, T, C = logits.shape
    logp = _log_softmax(logits).view(B * T, C)
    t = targets.reshape(-1)
    mask = t != ignore_index
    safe = t.masked_fill(~mask, 0)
    nll = -logp.gather(1, safe[:, None]).squeeze(1)
    smooth = -logp.mean(dim=1)
    loss = (1 - label_smoothing) * nll + label_smoothing * smooth
    return (loss * mask).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    B, T, C = logits.shape
    p = _log_softmax(logits).exp()
    mask = targets != ignore_index
    safe = targets.masked_fill(~mask, 0)
    q = torch.nn.functional.one_hot(safe, C).to(p.dtype)
    q = (1 - label_smoothing) * q + label_smoothing / C
    return (p - q) * mask.unsqueeze(-1) / mask.sum()
