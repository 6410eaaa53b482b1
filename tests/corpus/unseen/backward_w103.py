import torch


def attention_backward(query, key, value, grad_output, causal=False):
    Lq, Lk, d = query.size(-2), key.size(-2), query.size(-1)

    # ---- forward, recomputed ----
    q = query * d**-0.5
    scores = q @ key.transpose(-2, -1)
    if causal:
        keep = torch.ones(Lq, Lk, dtype=torch.bool, device=query.device).tril(Lk - Lq)
        scores = scores.masked_fill(~keep, float("-inf"))
    attn = torch.softmax(scores, dim=-1)

    # ---- backward ----
    grad_value = attn.transpose(-2, -1) @ grad_output
    grad_attn = grad_output @ value.transpose(-2, -1)
    grad_scores = attn * (grad_attn - (attn * grad_attn).sum(dim=-1, keepdim=True))
    grad_query = grad_scores @ key
    grad_key = grad_scores.transpose(-2, -1) @ q
    return grad_query, grad_key, grad_value
