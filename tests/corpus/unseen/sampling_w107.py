import torch
import torch.nn.functional as F


def penalize(logits, tokens, penalty):
    tokens = tokens.long()
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits, k):
    threshold = torch.topk(logits, k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < threshold, float("-inf"))


def keep_top_p(logits, p):
    sorted_logits, sorted_indices = torch.sort(logits, dim=-1, descending=True)
    sorted_probs = F.softmax(sorted_logits, dim=-1)
    cumulative = torch.cumsum(sorted_probs, dim=-1)
    sorted_remove = (cumulative - sorted_probs) >= p
    sorted_remove[:, 0] = False
    remove = torch.zeros_like(sorted_remove).scatter(1, sorted_indices, sorted_remove)
    return logits.masked_fill(remove, float("-inf"))


def keep_min_p(logits, p):
    probs = F.softmax(logits, dim=-1)
    return logits.masked_fill(probs < p * probs.max(dim=-1, keepdim=True).values, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    if penalty != 1.0:
        logits = penalize(logits, tokens, penalty)
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return F.softmax(logits / temperature, dim=-1)


def draw(probs, uniform):
    cumulative = probs.cumsum(dim=-1)
    token = (cumulative <= uniform[:, None]).sum(dim=-1)
    return token.clamp(max=probs.shape[-1] - 1)
