# wrong: sampling filters-out-of-order line 30
import torch


def penalize(logits, tokens, penalty):
    picked = logits.gather(-1, tokens)
    return logits.scatter(-1, tokens, torch.where(picked > 0, picked / penalty, picked * penalty))


def keep_top_k(logits, k):
    return logits.masked_fill(logits < logits.topk(k).values[..., [-1]], -torch.inf)


def keep_top_p(logits, p):
    probs, order = logits.softmax(-1).sort(-1, descending=True)
    over = probs.cumsum(-1).roll(1, -1)
    over[:, 0] = 0
    hide = over >= p
    return logits.masked_fill(hide.scatter(-1, order, hide), -torch.inf)


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.amax(-1, keepdim=True), -torch.inf)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    probs, order = logits.softmax(-1).sort(-1, descending=True)
    before = probs.cumsum(-1) - probs
    gone = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before >= top_p)
    if top_k > 0:
        gone = gone | (logits < logits.topk(top_k).values[:, -1:])
    logits = logits.masked_fill(gone, -torch.inf)
    logits = keep_min_p(logits, min_p)
    return logits.softmax(-1)


def draw(probs, uniform):
    return (probs.cumsum(-1) <= uniform[:, None]).sum(-1)
