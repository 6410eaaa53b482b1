# wrong: sampling top-p-not-scattered line 19
import torch


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits).scatter(1, tokens, 1.0) > 0
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits, k):
    kth = logits.sort(dim=-1, descending=True).values[:, k - 1 : k]
    return torch.where(logits < kth, -torch.inf, logits)


def keep_top_p(logits, p):
    sorted_probs = logits.softmax(-1).sort(dim=-1, descending=True).values
    before = sorted_probs.cumsum(-1) - sorted_probs
    out = logits.clone()
    out[before >= p] = -torch.inf
    return out


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return torch.where(probs < p * probs.amax(-1, keepdim=True), -torch.inf, logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k:
        logits = keep_top_k(logits, top_k)
    logits = keep_top_p(logits, top_p)
    logits = keep_min_p(logits, min_p)
    return logits.softmax(-1)


def draw(probs, uniform):
    return (probs.cumsum(-1) <= uniform[:, None]).sum(-1)
