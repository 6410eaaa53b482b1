# wrong: sampling min-p-absolute line 29
# fair: min-p-absolute 28, 30
import torch


def penalize(logits, tokens, penalty):
    s = torch.gather(logits, 1, tokens)
    s = torch.where(s > 0, s / penalty, s * penalty)
    return torch.scatter(logits, 1, tokens, s)


def keep_top_k(logits, k):
    kth = torch.topk(logits, k).values[:, -1:]
    return torch.where(logits >= kth, logits, float("-inf"))


def keep_top_p(logits, p):
    x, i = torch.sort(logits, descending=True)
    c = torch.cumsum(torch.softmax(x, -1), -1)
    n = (c < p).sum(-1, keepdim=True) + 1
    rank = torch.arange(logits.shape[1], device=logits.device)
    x = torch.where(rank < n, x, float("-inf"))
    return torch.zeros_like(logits).scatter(1, i, x)


def keep_min_p(logits, p):
    probs = torch.softmax(logits, -1)
    best = probs == probs.max(-1, keepdim=True).values
    keep = (probs >= p) | best
    return torch.where(keep, logits, float("-inf"))


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
    return torch.sum(torch.cumsum(probs, -1) <= uniform[:, None], -1)
