# wrong: sampling top-p-on-logits line 19
# fair: top-p-on-logits 18, 20
import torch


def penalize(logits, tokens, penalty):
    picked = logits.gather(-1, tokens)
    return logits.scatter(-1, tokens, torch.where(picked > 0, picked / penalty, picked * penalty))


def keep_top_k(logits, k):
    top = logits.topk(k, dim=-1)
    return torch.full_like(logits, float("-inf")).scatter(-1, top.indices, top.values)


def keep_top_p(logits, p):
    order = logits.argsort(dim=-1, descending=True)
    values = logits.gather(-1, order)
    before = values.cumsum(dim=-1) - values
    hidden = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before >= p)
    return logits.masked_fill(hidden, float("-inf"))


def keep_min_p(logits, p):
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs / probs.amax(dim=-1, keepdim=True) < p, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    return keep_min_p(logits, min_p).softmax(dim=-1)


def draw(probs, uniform):
    return (probs.cumsum(dim=-1) <= uniform.unsqueeze(-1)).sum(dim=-1)
