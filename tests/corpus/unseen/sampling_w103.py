import torch

NEG = float("-inf")


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    punished = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, punished, logits)


def keep_top_k(logits, k):
    kth = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < kth, NEG)


def keep_top_p(logits, p):
    ordered, order = logits.sort(dim=-1, descending=True)
    probs = ordered.softmax(dim=-1)
    before = probs.cumsum(dim=-1) - probs
    drop_sorted = before >= p
    drop_sorted[..., 0] = False
    drop = torch.zeros_like(logits).scatter(-1, order, drop_sorted)
    return logits.masked_fill(drop, NEG)


def keep_min_p(logits, p):
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs < p * probs.amax(dim=-1, keepdim=True), NEG)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k:
        logits = keep_top_k(logits, top_k)
    if top_p < 1:
        logits = keep_top_p(logits, top_p)
    if min_p > 0:
        logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    above = probs.cumsum(dim=-1) > uniform[:, None]
    last = probs.shape[-1] - 1 - (probs.flip(-1) > 0).int().argmax(dim=-1)
    return torch.where(above.any(dim=-1), above.int().argmax(dim=-1), last)
