import torch

NEG = float("-inf")


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens, True)
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits, k):
    return logits.masked_fill(logits < logits.topk(k, -1).values[:, -1:], NEG)


def keep_top_p(logits, p):
    srt, idx = logits.sort(-1, descending=True)
    probs = srt.softmax(-1)
    drop = torch.zeros_like(logits, dtype=torch.bool).scatter(1, idx, probs.cumsum(-1) - probs >= p)
    return logits.masked_fill(drop, NEG)


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.amax(-1, keepdim=True), NEG)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    x = keep_top_k(x, top_k) if top_k else x
    x = keep_top_p(x, top_p) if top_p < 1 else x
    return keep_min_p(x, min_p).softmax(-1)


def draw(probs, uniform):
    return (probs.cumsum(-1) > uniform[:, None]).long().argmax(-1)
