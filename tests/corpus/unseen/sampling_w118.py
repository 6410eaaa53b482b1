import torch
from torch.nn import functional as F

def penalize(logits, tokens, penalty):
    V = logits.size(-1)
    seen = F.one_hot(tokens.long(), V).any(dim=1) # (B, T, V) -> (B, V)
    weaker = torch.where(logits < 0, logits * penalty, logits / penalty)
    return torch.where(seen, weaker, logits)

def keep_top_k(logits, k):
    # crop to only the top k options
    v, _ = torch.topk(logits, min(k, logits.size(-1)))
    kth = v[:, -1].min()
    out = logits.clone()
    out[out < kth] = -float('Inf')
    return out

def keep_top_p(logits, p):
    if p >= 1.0:
        return logits.clone()
    probs = F.softmax(logits, dim=-1)
    psort, ix = torch.sort(probs, dim=-1, descending=True)
    shifted = torch.zeros_like(psort)
    shifted[:, 1:] = psort.cumsum(dim=-1)[:, :-1]
    drop = torch.zeros_like(shifted, dtype=torch.bool)
    drop.scatter_(1, ix, shifted >= p)
    out = logits.clone()
    out[drop] = -float('Inf')
    return out

def keep_min_p(logits, p):
    probs = F.softmax(logits, dim=-1)
    out = logits.clone()
    out[probs < p * probs.amax(dim=-1, keepdim=True)] = -float('Inf')
    return out

def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty)
    # scale by desired temperature
    logits = logits / temperature
    # optionally crop the logits
    if top_k:
        logits = keep_top_k(logits, top_k)
    logits = keep_top_p(logits, top_p)
    logits = keep_min_p(logits, min_p)
    # apply softmax to convert logits to (normalized) probabilities
    return F.softmax(logits, dim=-1)

def draw(probs, uniform):
    cdf = probs.cumsum(dim=-1)
    idx = (cdf <= uniform[:, None]).sum(dim=-1)
    return idx.clamp(max=probs.size(-1) - 1)
