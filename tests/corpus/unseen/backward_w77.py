import math

import torch
from torch import Tensor


def attention_weights(query: Tensor, key: Tensor, causal: bool) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if causal:
        q_len, k_len = scores.shape[-2:]
        allowed = torch.tril(torch.ones_like(scores[0, 0]), diagonal=k_len - q_len)
        scores = scores.masked_fill(allowed == 0, float("-inf"))
    return scores.softmax(dim=-1)


def attention_backward(query, key, value, grad_output, causal=False):
    attn = attention_weights(query, key, causal)

    grad_value = attn.mT @ grad_output
    grad_attn = grad_output @ value.mT

    # jacobian of the softmax
    dot = torch.sum(grad_attn * attn, dim=-2, keepdim=True)
    grad_scores = attn * (grad_attn - dot)
    grad_scores = grad_scores / math.sqrt(query.size(-1))

    grad_query = grad_scores @ key
    grad_key = grad_scores.mT @ query
    return grad_query, grad_key, grad_value
