import torch

NEG_INF = float("-inf")


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, tokens.long(), True)
    penalized = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, penalized, logits)


def keep_top_k(logits, k):
    kth = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < kth, NEG_INF)


def keep_top_p(logits, p):
    ranked, order = logits.sort(dim=-1, descending=True)
    probs = ranked.softmax(dim=-1)
    reached_before = probs.cumsum(dim=-1) - probs >= p
    return logits.masked_fill(reached_before.gather(-1, order), NEG_INF)


def keep_min_p(logits, p):
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs < p * probs.amax(dim=-1, keepdim=True), NEG_INF)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    processors = [
        lambda s: penalize(s, tokens, penalty),
        lambda s: s / temperature,
    ]
    if top_k > 0:
        processors.append(lambda s: keep_top_k(s, top_k))
    if top_p < 1.0:
        processors.append(lambda s: keep_top_p(s, top_p))
    if min_p > 0.0:
        processors.append(lambda s: keep_min_p(s, min_p))
    for process in processors:
        logits = process(logits)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    cdf = probs.cumsum(dim=-1)
    return torch.searchsorted(cdf, uniform[:, None].to(cdf), right=True)[:, 0].clamp(max=probs.shape[-1] - 1)
