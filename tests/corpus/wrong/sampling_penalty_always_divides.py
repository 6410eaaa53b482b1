# wrong: sampling penalty-sign-ignored line 8
# fair: penalty-sign-ignored 9
import torch


def penalize(logits, prev_tokens, repetition_penalty):
    logits = logits.clone()
    scores = torch.gather(logits, 1, prev_tokens) / repetition_penalty
    logits.scatter_(1, prev_tokens, scores)
    return logits


def keep_top_k(logits, top_k):
    indices_to_remove = logits < torch.topk(logits, top_k)[0][..., -1, None]
    return logits.masked_fill(indices_to_remove, -float("Inf"))


def keep_top_p(logits, top_p):
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    cumulative_probs = torch.cumsum(torch.softmax(sorted_logits, dim=-1), dim=-1)
    sorted_indices_to_remove = cumulative_probs >= top_p
    sorted_indices_to_remove[..., 1:] = sorted_indices_to_remove[..., :-1].clone()
    sorted_indices_to_remove[..., 0] = 0
    indices_to_remove = sorted_indices_to_remove.scatter(1, sorted_indices, sorted_indices_to_remove)
    return logits.masked_fill(indices_to_remove, -float("Inf"))


def keep_min_p(logits, min_p):
    probs = torch.softmax(logits, dim=-1)
    return logits.masked_fill(probs < min_p * probs.max(dim=-1, keepdim=True)[0], -float("Inf"))


def next_token_probs(logits, prev_tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, prev_tokens, penalty)
    logits = logits / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    logits = keep_min_p(keep_top_p(logits, top_p), min_p)
    return torch.softmax(logits, dim=-1)


def draw(probs, u):
    return torch.argmax((torch.cumsum(probs, dim=-1) > u[:, None]).long(), dim=-1)
