from __future__ import annotations

import torch
from torch import Tensor

ROWS = 64


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    n, m, d = query.shape[2], key.shape[2], query.shape[3]
    rsqrt = d ** -0.5
    grad_query = torch.empty_like(query)
    grad_key = torch.zeros_like(key)
    grad_value = torch.zeros_like(value)
    columns = torch.arange(m, device=query.device)
    for first in range(0, n, ROWS):
        rows = slice(first, min(first + ROWS, n))
        q, g = query[:, :, rows], grad_output[:, :, rows]
        scores = q @ key.transpose(2, 3) * rsqrt
        if causal:
            limit = m - n + torch.arange(q.shape[2], device=q.device)
            scores = scores.masked_fill(columns > limit[:, None], float("-inf"))
        weights = scores.softmax(-1)
        out = weights @ value
        delta = (out * g).sum(-1, keepdim=True)
        grad_scores = weights * (g @ value.transpose(2, 3) - delta)
        grad_query[:, :, rows] = grad_scores @ key * rsqrt
        grad_key += grad_scores.transpose(2, 3) @ q * rsqrt
        grad_value += weights.transpose(2, 3) @ g
    return grad_query, grad_key, grad_value
