# attn-kata: sampling
import torch


def penalize(logits, tokens, penalty):
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits, k):
    indices_to_remove = logits < torch.topk(logits, k)[0][..., -1, None]
    return logits.masked_fill(indices_to_remove, -float("inf"))


def keep_top_p(logits, p):
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    cumulative_probs = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
    sorted_indices_to_remove = cumulative_probs >= p
    # at least one token is left
    sorted_indices_to_remove[..., 0] = False
    indices_to_remove = sorted_indices_to_remove.scatter(1, sorted_indices, sorted_indices_to_remove)
    return logits.masked_fill(indices_to_remove, -float("inf"))


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    top_probs, _ = probs.max(dim=-1, keepdim=True)
    return logits.masked_fill(probs < p * top_probs, -float("inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    if penalty != 1.0:
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
    sums = probs.cumsum(dim=-1)
    return (sums <= uniform.unsqueeze(-1)).sum(dim=-1).clamp(max=probs.shape[-1] - 1)
