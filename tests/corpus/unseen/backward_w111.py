import math

import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    *_, n, d = query.shape
    scores = torch.einsum("...id,...jd->...ij", query, key) / math.sqrt(d)

    if causal:
        m = key.shape[-2]
        blocked = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
        scores.masked_fill_(blocked, -math.inf)
    probs = scores.softmax(-1)

    # output = probs @ value
    *_, n, d = grad_output.shape
    grad_value = torch.einsum("...ij,...id->...jd", probs, grad_output)
    grad_probs = torch.einsum("...id,...jd->...ij", grad_output, value)

    # softmax
    inner = (probs * grad_probs).sum(-1, keepdim=True)
    grad_scores = probs * (grad_probs - inner)

    # scores = query @ key.T / sqrt(d)
    grad_scores = grad_scores / math.sqrt(d)
    grad_query = torch.einsum("...ij,...jd->...id", grad_scores, key)
    grad_key = torch.einsum("...ij,...id->...jd", grad_scores, query)
    return grad_query, grad_key, grad_value
