from __future__ import annotations

import torch
from torch import Tensor


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    query = query * scale

    scores = query @ key.mT
    if causal:
        n, m = scores.shape[-2:]
        later = torch.ones_like(scores, dtype=torch.bool).triu(m - n + 1)
        scores.masked_fill_(later, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    output = weights @ value

    grad_value = weights.mT @ grad_output
    grad_weights = grad_output @ value.mT
    row = (grad_output * output).sum(-1, keepdim=True)
    grad_scores = weights * (grad_weights - row)
    grad_query = scale * (grad_scores @ key)
    grad_key = scale * (grad_scores.mT @ query)
    return grad_query, grad_key, grad_value
