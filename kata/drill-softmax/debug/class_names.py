import torch as t


def stable_softmax(logits, axis=-1):
    peak, _ = logits.max(axis, keepdim=True)
    e = (logits - peak).exp()
    e = e / e.sum(axis, keepdim=True)
    return e


def logsumexp(logits, axis=-1):
    peak, _ = logits.max(axis)
    return peak + t.log((logits - peak.unsqueeze(axis)).exp().sum(axis))


def masked_softmax(logits, keep):
    keep = keep.to(logits.dtype)
    shown = logits * keep + (1 - keep) * t.finfo(logits.dtype).min / 2
    e = t.exp(shown - shown.max(-1, keepdim=True)[0]) * keep
    return e / (e.sum(-1, keepdim=True) + (e.sum(-1, keepdim=True) == 0))
