import torch


def _softmax_terms(logits):
    acc = torch.float64 if logits.dtype == torch.float64 else torch.float32
    a = logits.to(acc)
    a = a - a.max(-1, keepdim=True)[0]
    ea = torch.exp(a)
    return a, ea, ea.sum(-1, keepdim=True)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    B, T, V = logits.shape
    a, _, s = _softmax_terms(logits.reshape(B * T, V))
    t = targets.reshape(B * T).to(torch.int64)
    valid = t != ignore_index
    a, s, t = a[valid], s[valid], t[valid]
    logprobs = a - s.log()
    nll = -logprobs[torch.arange(t.shape[0], device=t.device), t]
    smooth = -logprobs.mean(-1)
    return torch.lerp(nll, smooth, label_smoothing).mean().to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    B, T, V = logits.shape
    _, e, s = _softmax_terms(logits.detach())
    dlogits = e / s
    valid = targets >= 0
    t = targets.clamp(min=0).to(torch.int64)
    dlogits -= label_smoothing / V
    dlogits[torch.arange(B)[:, None], torch.arange(T)[None, :], t] -= 1.0 - label_smoothing
    dlogits[~valid] = 0
    dlogits /= valid.sum()
    return dlogits.to(logits.dtype)
