# right: sampling
import math

import torch


def penalize(logits, tokens, penalty):
    result = logits.clone()
    for b in range(logits.shape[0]):
        for t in set(tokens[b].tolist()):
            if logits[b, t] > 0:
                result[b, t] = logits[b, t] / penalty
            else:
                result[b, t] = logits[b, t] * penalty
    return result


def rank(row):
    return sorted(range(len(row)), key=lambda i: -row[i])


def keep_only(logits, chosen):
    result = torch.full_like(logits, -math.inf)
    for b, tokens in enumerate(chosen):
        for t in tokens:
            result[b, t] = logits[b, t]
    return result


def keep_top_k(logits, k):
    return keep_only(logits, [rank(row)[:k] for row in logits.tolist()])


def keep_top_p(logits, p):
    chosen = []
    for row in torch.softmax(logits, -1).tolist():
        total, kept = 0.0, []
        for t in rank(row):
            kept.append(t)
            total += row[t]
            if total >= p:
                break
        chosen.append(kept)
    return keep_only(logits, chosen)


def keep_min_p(logits, p):
    chosen = []
    for row in torch.softmax(logits, -1).tolist():
        best = max(row)
        chosen.append([t for t, q in enumerate(row) if q >= p * best])
    return keep_only(logits, chosen)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        x = keep_top_k(x, top_k)
    if top_p < 1:
        x = keep_top_p(x, top_p)
    if min_p > 0:
        x = keep_min_p(x, min_p)
    return torch.softmax(x, -1)


def draw(probs, uniform):
    found = []
    for row, u in zip(probs.tolist(), uniform.tolist()):
        total = 0.0
        for t, q in enumerate(row):
            total += q
            if u < total:
                break
        found.append(t)
    return torch.tensor(found, device=probs.device)
