import torch


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    weaker = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, weaker, logits)


def _hide(logits, keep):
    return logits.masked_fill(keep.logical_not(), -torch.inf)


def keep_top_k(logits, k):
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    return _hide(logits, rank < k)


def keep_top_p(logits, p):
    probs = logits.softmax(-1)
    # for each token: the mass of all likelier ones
    order = probs.argsort(-1, descending=True)
    ranked = probs.gather(-1, order)
    ahead = torch.zeros_like(ranked)
    ahead[:, 1:] = ranked.cumsum(-1)[:, :-1]
    keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, ahead < p)
    return _hide(logits, keep)


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    return _hide(logits, probs >= p * probs.amax(-1, keepdim=True))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    stages = [lambda z: penalize(z, tokens, penalty), lambda z: z / temperature]
    if top_k:
        stages.append(lambda z: keep_top_k(z, min(top_k, z.shape[-1])))
    if top_p < 1:
        stages.append(lambda z: keep_top_p(z, top_p))
    if min_p > 0:
        stages.append(lambda z: keep_min_p(z, min_p))
    for stage in stages:
        logits = stage(logits)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    hit = probs.cumsum(-1) > uniform[:, None]
    last = (probs > 0).long().cumsum(-1).argmax(-1)
    return torch.where(hit.any(-1), hit.long().argmax(-1), last)
