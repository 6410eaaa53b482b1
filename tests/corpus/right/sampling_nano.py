# right: sampling
import torch
import torch.nn.functional as F


def penalize(logits, idx, penalty):
    logits = logits.clone()
    picked = logits.gather(1, idx)
    picked[picked > 0] /= penalty
    picked[picked < 0] *= penalty
    logits.scatter_(1, idx, picked)
    return logits


def keep_top_k(logits, k):
    logits = logits.clone()
    v, _ = torch.topk(logits, min(k, logits.size(-1)))
    logits[logits < v[:, [-1]]] = -float("Inf")
    return logits


def keep_top_p(logits, p):
    logits = logits.clone()
    sorted_logits, sorted_idx = torch.sort(logits, descending=True)
    cum = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
    remove = cum > p
    # shift right, so that the token that crosses stays
    remove[:, 1:] = remove[:, :-1].clone()
    remove[:, 0] = False
    for b in range(logits.size(0)):
        logits[b, sorted_idx[b, remove[b]]] = -float("Inf")
    return logits


def keep_min_p(logits, p):
    probs = F.softmax(logits, dim=-1)
    keep = probs >= p * probs.max(dim=-1, keepdim=True).values
    return torch.where(keep, logits, torch.full_like(logits, -float("Inf")))


def next_token_probs(logits, idx, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, idx, penalty)
    logits = logits / temperature
    if top_k:
        logits = keep_top_k(logits, top_k)
    logits = keep_top_p(logits, top_p)
    logits = keep_min_p(logits, min_p)
    return F.softmax(logits, dim=-1)


def draw(probs, u):
    cdf = probs.cumsum(dim=-1)
    return (cdf <= u.unsqueeze(1)).sum(dim=1).clamp(max=probs.size(1) - 1)
