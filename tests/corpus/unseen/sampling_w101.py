import torch
import torch.nn.functional as F


def penalize(logits, tokens, penalty):
    seen = F.one_hot(tokens.long(), logits.shape[-1]).amax(1).bool()
    lowered = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, lowered, logits)


def keep_top_k(logits, k):
    rank = logits.argsort(-1, descending=True).argsort(-1)
    return logits.masked_fill(rank >= k, -torch.inf)


def keep_top_p(logits, p):
    vals, idx = logits.sort(-1, descending=True)
    sums = vals.softmax(-1).cumsum(-1)
    drop = F.pad(sums[:, :-1], (1, 0)) >= p
    return vals.masked_fill(drop, -torch.inf).gather(1, idx.argsort(-1))


def keep_min_p(logits, p):
    pr = logits.softmax(-1)
    return torch.where(pr >= p * pr.amax(-1, keepdim=True), logits, -torch.inf)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    x = keep_top_k(x, top_k or x.shape[-1])
    x = keep_top_p(x, top_p) if top_p < 1 else x
    x = keep_min_p(x, min_p)
    return x.softmax(-1)


def draw(probs, uniform):
    cdf = probs.cumsum(-1)
    pick = torch.searchsorted(cdf, uniform[:, None])[:, 0]
    return pick.clamp(max=probs.shape[-1] - 1)
