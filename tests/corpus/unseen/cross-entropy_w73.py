import torch

def logp(x):
    x = x - x.max(-1, keepdim=True)[0]
    return x - x.exp().sum(-1, keepdim=True).log()

def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C, e = logits.shape[-1], label_smoothing
    lp = logp(logits.reshape(-1, C))
    t = targets.reshape(-1).long()
    ok = t != ignore_index
    lp, t = lp[ok], t[ok]
    a = lp[range(len(t)), t]
    return -((1 - e) * a + e * lp.mean(-1)).mean()

def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C, e = logits.shape[-1], label_smoothing
    p = logp(logits).exp()
    ok = (targets != ignore_index)[..., None]
    t = targets.long()[..., None].where(ok, 0)
    q = torch.zeros_like(p).scatter(-1, t, 1 - e) + e / C
    g = p * ok - q.scatter(-1, t, q.gather(-1, t) * ok)
    return g / ok.sum()
