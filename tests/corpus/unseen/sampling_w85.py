import torch
import torch.nn.functional as F


def penalize(logits, tokens, penalty):
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits, k):
    kth = torch.topk(logits, k, dim=-1).values[..., -1, None]
    return logits.masked_fill(logits < kth, -float("Inf"))


def keep_top_p(logits, p):
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    cumulative_probs = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
    sorted_indices_to_remove = cumulative_probs >= p
    sorted_indices_to_remove[..., 0] = False
    indices_to_remove = sorted_indices_to_remove.scatter(1, sorted_indices, sorted_indices_to_remove)
    return logits.masked_fill(indices_to_remove, -float("Inf"))


def keep_min_p(logits, p):
    probs = F.softmax(logits, dim=-1)
    return logits.masked_fill(probs < p * probs.max(dim=-1, keepdim=True).values, -float("Inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return F.softmax(logits, dim=-1)


def draw(probs, uniform):
    cdf = probs.cumsum(dim=-1)
    return torch.searchsorted(cdf, uniform.unsqueeze(-1), right=True).squeeze(-1).clamp(max=probs.shape[-1] - 1)
