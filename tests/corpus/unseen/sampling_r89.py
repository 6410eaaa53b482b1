import torch
import torch.nn.functional as F

NINF = float("-inf")
probs_of = lambda x: F.softmax(x, -1, dtype=torch.promote_types(x.dtype, torch.float32))


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits, k):
    v, i = logits.topk(k)
    return torch.full_like(logits, NINF).scatter(-1, i, v)


def keep_top_p(logits, p):
    if p >= 1: return logits.clone()
    v, i = logits.sort(descending=True)
    before = F.pad(probs_of(v).cumsum(-1)[:, :-1], (1, 0))   # mass in front of each
    return torch.empty_like(logits).scatter(-1, i, v.masked_fill(before >= p, NINF))


def keep_min_p(logits, p):
    pr = probs_of(logits)
    return logits.masked_fill(pr < p * pr.amax(-1, True), NINF)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    if top_k: x = keep_top_k(x, top_k)
    return probs_of(keep_min_p(keep_top_p(x, top_p), min_p)).to(logits.dtype)


def draw(probs, uniform):
    w = torch.promote_types(probs.dtype, torch.float32)
    i = (probs.to(w).cumsum(-1) <= uniform.to(w)[:, None]).sum(-1)
    last = probs.shape[-1] - 1 - (probs > 0).flip(-1).int().argmax(-1)   # rounding: the sum may end below 1
    return torch.minimum(i, last)
