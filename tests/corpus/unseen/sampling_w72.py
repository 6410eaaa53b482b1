import torch
from torch import inf


def penalize(l, t, penalty):
    s = torch.zeros_like(l).scatter_(1, t, 1.).bool()
    return l.where(~s, torch.where(l > 0, l / penalty, l * penalty))


def keep_top_k(l, k):
    return l.where(l >= l.topk(k)[0][:, -1:], -inf)


def keep_top_p(l, p):
    s, i = l.sort(-1, descending=True)
    q = s.softmax(-1)
    return torch.empty_like(l).scatter_(1, i, s.where(q.cumsum(-1) - q < p, -inf))


def keep_min_p(l, p):
    q = l.softmax(-1)
    return l.where(q >= p * q.amax(-1, True), -inf)


def next_token_probs(logits, tokens, temperature=1., top_k=0, top_p=1., min_p=0., penalty=1.):
    l = penalize(logits, tokens, penalty) / temperature
    l = keep_top_k(l, top_k) if top_k else l
    l = keep_top_p(l, top_p) if top_p < 1 else l
    return keep_min_p(l, min_p).softmax(-1)


def draw(probs, uniform):
    c = probs.cumsum(-1)
    i = torch.searchsorted(c, uniform[:, None].contiguous())
    return i[:, 0].clamp(max=c.shape[-1] - 1)
