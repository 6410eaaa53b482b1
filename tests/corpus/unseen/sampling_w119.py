import torch


def penalize(logits, tokens, penalty):
    tokens = tokens.long()
    picked = logits.gather(-1, tokens)
    picked = torch.where(picked < 0, picked * penalty, picked / penalty)
    return logits.scatter(-1, tokens, picked)


def keep_top_k(logits, k):
    kth = torch.topk(logits, k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < kth, -float("inf"))


def keep_top_p(logits, p):
    if p >= 1.0:
        return logits
    sorted_logits, sorted_idx = torch.sort(logits, descending=True, dim=-1)
    cum = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
    remove = cum >= p
    remove[:, 1:] = remove[:, :-1].clone()  # keep the one that crosses
    remove[:, 0] = False
    remove = torch.zeros_like(remove).scatter(-1, sorted_idx, remove)
    return logits.masked_fill(remove, -float("inf"))


def keep_min_p(logits, p):
    probs = logits.softmax(dim=-1)
    limit = p * probs.max(dim=-1, keepdim=True).values
    return logits.masked_fill(probs < limit, -float("inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    logits = keep_top_p(logits, top_p)
    logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    # inverse CDF
    cdf = probs.cumsum(dim=-1)
    token = torch.searchsorted(cdf, uniform.unsqueeze(-1)).squeeze(-1)
    return token.clamp(max=probs.shape[-1] - 1)
