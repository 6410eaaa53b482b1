import torch


def penalize(logits, tokens, penalty):
    out = logits.clone()
    for row, seen in zip(out, tokens):
        for t in seen.tolist():
            row[t] = row[t] / penalty if row[t] > 0 else row[t] * penalty
    return out


def keep_top_k(logits, k):
    kth = logits.topk(k, -1).values[:, -1:]
    return logits.masked_fill(logits < kth, -torch.inf)


def keep_top_p(logits, p):
    s, i = logits.sort(-1, descending=True)
    probs = s.softmax(-1)
    drop = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(torch.zeros_like(drop).scatter(-1, i, drop), -torch.inf)


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.amax(-1, keepdim=True), -torch.inf)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    if top_k:
        x = keep_top_k(x, top_k)
    if top_p < 1:
        x = keep_top_p(x, top_p)
    if min_p > 0:
        x = keep_min_p(x, min_p)
    return x.softmax(-1)


def draw(probs, uniform):
    above = probs.cumsum(-1) > uniform[:, None]
    return torch.where(above.any(-1), above.int().argmax(-1), probs.shape[-1] - 1)
