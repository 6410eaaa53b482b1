# wrong: backward grad-scale-twice line 19
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scale = query.shape[-1] ** -0.5
    q = query * scale
    scores = q @ key.mT
    if causal:
        n, m = scores.shape[-2:]
        ahead = torch.ones(n, m, device=scores.device, dtype=torch.bool).triu(m - n + 1)
        scores = scores.masked_fill(ahead, float("-inf"))
    weights = scores.softmax(dim=-1)
    d_weights = grad_output @ value.mT
    d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdim=True))
    d_value = weights.mT @ grad_output
    d_query = d_scores @ key * scale
    # q is scaled already
    d_key = d_scores.mT @ q * scale
    return d_query, d_key, d_value
