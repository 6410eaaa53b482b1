from functools import partial, reduce

import torch

HIDE = float("-inf")


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens, True)
    factor = torch.where(logits > 0, 1 / penalty, penalty).to(logits.dtype)
    return torch.where(seen, logits * factor, logits)


def keep_top_k(logits, k):
    kth = logits.topk(k).values[:, -1:]
    return logits.masked_fill(logits < kth, HIDE)


def keep_top_p(logits, p):
    ordered, index = logits.sort(descending=True)
    probs = ordered.softmax(-1)
    drop = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(drop.gather(1, index.argsort()), HIDE)


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.max(-1, keepdim=True).values, HIDE)


def identity(x):
    return x


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    pipeline = (
        partial(penalize, tokens=tokens, penalty=penalty),
        partial(torch.mul, 1 / temperature),
        partial(keep_top_k, k=top_k) if top_k else identity,
        partial(keep_min_p, p=min_p) if min_p else identity,
        partial(keep_top_p, p=top_p) if top_p < 1 else identity,
        partial(torch.softmax, dim=-1),
    )
    return reduce(lambda acc, step: step(acc), pipeline, logits)


def draw(probs, uniform):
    return (probs.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=probs.shape[-1] - 1)
