# right: sampling
import torch


def apply_top_k_top_p(logits, k=None, p=None):
    logits_sort, logits_idx = logits.sort(dim=-1, descending=False)
    if k is not None:
        kth = logits_sort[:, logits_sort.size(1) - k].unsqueeze(1)
        logits_sort = logits_sort.masked_fill(logits_sort < kth, -float("inf"))
    if p is not None:
        probs_sort = logits_sort.softmax(dim=-1)
        probs_sum = probs_sort.cumsum(dim=-1)
        top_p_mask = probs_sum <= 1 - p
        top_p_mask[:, -1] = False
        logits_sort = logits_sort.masked_fill(top_p_mask, -float("inf"))
    return torch.empty_like(logits).scatter_(dim=-1, index=logits_idx, src=logits_sort)


def apply_repetition_penalty(logits: torch.Tensor, prompt: torch.Tensor, repetition_penalty: float):
    batch, vocab = logits.shape
    seen = torch.zeros(batch, vocab, dtype=torch.bool, device=logits.device)
    seen.scatter_(1, prompt, True)
    penalties = torch.where(seen, repetition_penalty, 1.0)
    scaling = torch.where(logits > 0, 1.0 / penalties, penalties)
    return (logits * scaling).to(logits.dtype)


def penalize(logits, tokens, penalty):
    return apply_repetition_penalty(logits, tokens, penalty)


def keep_top_k(logits, k):
    return apply_top_k_top_p(logits, k=k)


def keep_top_p(logits, p):
    return apply_top_k_top_p(logits, p=p)


def keep_min_p(logits, p):
    probability_values = torch.nn.functional.softmax(logits, dim=-1)
    max_probabilities = torch.amax(probability_values, dim=-1, keepdim=True)
    invalid_token_mask = probability_values < max_probabilities.mul(p)
    out = logits.clone()
    out[invalid_token_mask] = -float("inf")
    return out


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = apply_repetition_penalty(logits, tokens, penalty)
    logits = logits.div(temperature)
    logits = apply_top_k_top_p(logits, top_k or None, top_p if top_p < 1 else None)
    logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    return (probs.cumsum(-1) > uniform.view(-1, 1)).int().argmax(-1)
