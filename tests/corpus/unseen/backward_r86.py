from __future__ import annotations

import math

import torch
from torch import Tensor


def _weights(scaled_query: Tensor, key: Tensor, causal: bool) -> Tensor:
    logits = torch.matmul(scaled_query, key.transpose(-2, -1))
    if causal:
        rows, cols = logits.shape[-2:]
        position = torch.arange(cols - rows, cols, device=logits.device).unsqueeze(-1)
        logits = logits.masked_fill(torch.arange(cols, device=logits.device) > position, -math.inf)
    return torch.softmax(logits, dim=-1)


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1.0 / math.sqrt(query.shape[-1])
    scaled_query = query * scale
    weights = _weights(scaled_query, key, causal)

    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    row_sum = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = scale * weights * (grad_weights - row_sum)

    grad_query = grad_scores @ key
    grad_key = grad_scores.transpose(-2, -1) @ query
    return grad_query, grad_key, grad_value
