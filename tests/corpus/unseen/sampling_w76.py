import torch


def penalize(logits, tokens, penalty):
    score = torch.gather(logits, 1, tokens.long())
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens.long(), score)


def keep_top_k(logits, k):
    kth = torch.topk(logits, k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < kth, float("-inf"))


def keep_top_p(logits, p):
    sorted_logits, sorted_idx = torch.sort(logits, descending=True, dim=-1)
    cumulative = torch.cumsum(torch.softmax(sorted_logits, dim=-1), dim=-1)
    remove = cumulative > p
    remove[:, 0] = False
    mask = remove.scatter(1, sorted_idx, remove)
    return logits.masked_fill(mask, float("-inf"))


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    top = probs.max(dim=-1, keepdim=True).values
    return logits.masked_fill(probs < p * top, float("-inf"))


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
    cdf = torch.cumsum(probs, dim=-1)
    return (cdf <= uniform[:, None]).sum(dim=-1).clamp(max=probs.shape[-1] - 1)
