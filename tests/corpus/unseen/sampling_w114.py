import math

import torch

INF = math.inf


def penalize(logits, tokens, penalty):
    picked = logits.gather(1, tokens.long())
    picked = picked * penalty ** -picked.sign()
    return logits.scatter(1, tokens.long(), picked)


def keep_top_k(logits, k):
    rank = logits.argsort(-1, descending=True).argsort(-1)
    return torch.where(rank < k, logits, -INF)


def keep_top_p(logits, p):
    order = logits.argsort(-1, descending=True)
    probs = logits.softmax(-1).gather(-1, order)
    before = probs.cumsum(-1) - probs
    kept = before < p
    return torch.where(kept.gather(-1, order.argsort(-1)), logits, -INF)


def keep_min_p(logits, p):
    # p_i >= p * p_max, in logs: no softmax needed
    gap = math.log(p)
    return torch.where(logits - logits.amax(-1, keepdim=True) >= gap, logits, -INF)


def next_token_probs(
    logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0
):
    steps = [
        (penalty != 1, lambda x: penalize(x, tokens, penalty)),
        (True, lambda x: x / temperature),
        (top_k, lambda x: keep_top_k(x, top_k)),
        (top_p < 1, lambda x: keep_top_p(x, top_p)),
        (min_p, lambda x: keep_min_p(x, min_p)),
    ]
    for wanted, step in steps:
        logits = step(logits) if wanted else logits
    return logits.softmax(-1)


def draw(probs, uniform):
    above = probs.cumsum(-1) > uniform[:, None]
    above[:, -1] = True
    return above.int().argmax(-1)
