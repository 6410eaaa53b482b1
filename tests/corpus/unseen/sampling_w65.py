# LogitsProcessor / LogitsWarper style
import torch
import torch.nn.functional as F


def penalize(logits, tokens, penalty):
    score = torch.gather(logits, 1, tokens)
    # if score < 0 then repetition penalty has to be multiplied to reduce the token probabilities
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits, k):
    top_k = min(k, logits.size(-1))  # safety check
    indices_to_remove = logits < torch.topk(logits, top_k)[0][..., -1, None]
    return logits.masked_fill(indices_to_remove, -float("inf"))


def keep_top_p(logits, p):
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    sorted_probs = sorted_logits.softmax(dim=-1)
    cumulative_probs = sorted_probs.cumsum(dim=-1)
    # remove tokens whose predecessors already have the mass
    sorted_indices_to_remove = cumulative_probs - sorted_probs >= p
    sorted_indices_to_remove[..., 0] = False
    # back to the order of the vocabulary
    indices_to_remove = sorted_indices_to_remove.gather(1, sorted_indices)
    return logits.masked_fill(indices_to_remove, -float("inf"))


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    top_probs, _ = probs.max(dim=-1, keepdim=True)
    return logits.masked_fill(probs < p * top_probs, -float("inf"))


def next_token_probs(
    logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0
):
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return F.softmax(logits, dim=-1)


def draw(probs, uniform):
    cumulative = probs.cumsum(dim=-1)
    return (cumulative <= uniform[:, None]).sum(dim=-1).clamp(max=probs.size(-1) - 1)
