import math

import torch
import torch.nn.functional as F


def penalize(logits, tokens, penalty):
    score = logits.gather(1, tokens.long())
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens.long(), score)


def keep_top_k(logits, k):
    values, indices = torch.topk(logits, k)
    return torch.full_like(logits, float("-inf")).scatter(1, indices, values)


def keep_top_p(logits, p):
    values, indices = torch.sort(logits, descending=True)
    probs = F.softmax(values, dim=-1)
    before = torch.cumsum(probs, dim=-1) - probs
    values = values.masked_fill(before >= p, float("-inf"))
    return torch.empty_like(logits).scatter_(1, indices, values)


def keep_min_p(logits, p):
    # p * max in logarithms: no softmax is needed
    limit = logits.max(dim=-1, keepdim=True).values + math.log(p)
    return logits.masked_fill(logits < limit, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    if top_k:
        x = keep_top_k(x, top_k)
    if top_p < 1:
        x = keep_top_p(x, top_p)
    if min_p:
        x = keep_min_p(x, min_p)
    return F.softmax(x, dim=-1)


def draw(probs, uniform):
    cdf = probs.cumsum(-1)
    return torch.searchsorted(cdf, uniform[:, None], right=True).squeeze(1).clamp_max(probs.shape[1] - 1)
