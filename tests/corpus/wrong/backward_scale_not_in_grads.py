# wrong: backward grad-scale-missing line 20
# fair: grad-scale-missing 19, 20, 21
import math

import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if causal:
        q_len, k_len = scores.shape[-2:]
        ok = torch.tril(torch.ones(q_len, k_len, device=scores.device), k_len - q_len)
        scores = scores.masked_fill(ok == 0, float("-inf"))
    p = torch.softmax(scores, -1)
    grad_value = p.transpose(-2, -1) @ grad_output
    grad_p = grad_output @ value.transpose(-2, -1)
    inner = (p * grad_p).sum(-1, keepdim=True)
    # through the softmax
    grad_scores = p * (grad_p - inner)
    grad_query = grad_scores @ key
    grad_key = grad_scores.transpose(-2, -1) @ query
    return grad_query, grad_key, grad_value
