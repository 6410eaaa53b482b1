import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    V = logits.shape[-1]
    x = logits.reshape(-1, V)
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    t = targets.reshape(-1).long()
    ok = t != ignore_index
    m = x.max(1, keepdim=True)[0].detach()
    lse = m + (x - m).exp().sum(1, keepdim=True).log()
    logp = x - lse
    picked = logp.gather(1, t.masked_fill(~ok, 0)[:, None])[:, 0]
    per = -(1 - label_smoothing) * picked - label_smoothing * logp.mean(1)
    return (per.masked_fill(~ok, 0).sum() / ok.sum()).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    V = logits.shape[-1]
    x = logits.reshape(-1, V)
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    t = targets.reshape(-1).long()
    ok = t != ignore_index
    e = (x - x.max(1, keepdim=True)[0]).exp()
    p = e / e.sum(1, keepdim=True)
    q = torch.full_like(p, label_smoothing / V)
    q.scatter_(1, t.masked_fill(~ok, 0)[:, None], 1 - label_smoothing)
    g = (p - q) / ok.sum()
    g[~ok] = 0
    return g.view_as(logits).to(logits.dtype)
