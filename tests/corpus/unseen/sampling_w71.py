import torch


def penalize(logits, tokens, penalty):
    picked = torch.gather(logits, 1, tokens)
    picked = torch.where(picked > 0, picked / penalty, picked * penalty)
    return logits.scatter_(1, tokens, picked)


def keep_top_k(logits, k):
    out = logits.new_full(logits.shape, -torch.inf)
    v, i = torch.topk(logits, k, -1)
    return out.scatter_(1, i, v)


def keep_top_p(logits, p):
    v, i = logits.sort(-1, descending=True)
    c = v.softmax(-1).cumsum_(-1)
    c = c.roll(1, -1)
    c[:, 0] = 0
    v[c >= p] = -torch.inf
    return v.gather(1, i.argsort(-1))


def keep_min_p(logits, p):
    pr = logits.softmax(-1)
    floor = pr.amax(-1, keepdim=True).mul_(p)
    return logits.masked_fill(pr < floor, -torch.inf)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    z = logits
    if penalty != 1.0:
        z = penalize(z, tokens, penalty)
    z = z / temperature
    if top_k:
        z = keep_top_k(z, top_k)
    if top_p < 1.0:
        z = keep_top_p(z, top_p)
    if min_p:
        z = keep_min_p(z, min_p)
    return z.softmax(-1)


def draw(probs, uniform):
    c = torch.cumsum(probs, -1)
    return (c <= uniform[:, None]).sum(-1).clamp_(max=c.shape[1] - 1)
