# The sampler of an LLM server, row by row.

import torch


def penalize(logits, tokens, penalty):
    out = logits.clone()
    for b in range(logits.shape[0]):
        # every token that the sequence has so far
        for t in tokens[b].tolist():
            if out[b, t] > 0:
                out[b, t] = out[b, t] / penalty
            else:
                out[b, t] = out[b, t] * penalty
    return out


def keep_top_k(logits, k):
    out = torch.full_like(logits, float("-inf"))
    values, indices = torch.topk(logits, k, dim=-1)
    return out.scatter(-1, indices, values)


def keep_top_p(logits, p):
    out = torch.full_like(logits, float("-inf"))
    probs = torch.softmax(logits, dim=-1)
    for b in range(logits.shape[0]):
        # likeliest first, until the sum reaches p
        total = 0.0
        for t in torch.argsort(logits[b], descending=True).tolist():
            out[b, t] = logits[b, t]
            total += probs[b, t].item()
            if total >= p:
                break
    return out


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    limit = p * probs.max(dim=-1, keepdim=True).values
    return torch.where(probs >= limit, logits, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return torch.softmax(logits, dim=-1)


def draw(probs, uniform):
    result = []
    for row, u in zip(probs, uniform):
        below = torch.cumsum(row, dim=0) <= u
        result.append(int(below.sum()))
    return torch.tensor(result, device=probs.device)
