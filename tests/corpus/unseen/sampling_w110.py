import torch
import torch.nn.functional as F

NEG = float("-inf")


def penalize(logits, tokens, penalty):
    tokens = tokens.long()
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits, k):
    kth = torch.topk(logits, k).values[..., -1, None]
    return logits.masked_fill(logits < kth, NEG)


def keep_top_p(logits, p):
    srt, idx = torch.sort(logits, descending=True)
    cum = F.softmax(srt, dim=-1).cumsum(dim=-1)
    remove = cum > p
    remove[..., 0] = False
    remove = torch.zeros_like(remove).scatter(1, idx, remove)
    return logits.masked_fill(remove, NEG)


def keep_min_p(logits, p):
    probs = F.softmax(logits, dim=-1)
    return logits.masked_fill(probs < p * probs.amax(-1, keepdim=True), NEG)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        x = keep_top_k(x, top_k)
    if top_p < 1.0:
        x = keep_top_p(x, top_p)
    if min_p > 0:
        x = keep_min_p(x, min_p)
    return F.softmax(x, dim=-1)


def draw(probs, uniform):
    cdf = probs.cumsum(-1)
    hit = cdf > uniform[:, None]
    return hit.int().argmax(dim=-1)
