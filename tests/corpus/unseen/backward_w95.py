from __future__ import annotations

import math

import torch
from torch import Tensor


def _weights(query: Tensor, key: Tensor, scale: float, causal: bool) -> Tensor:
    scores = query @ key.mT * scale
    if causal:
        n, m = scores.shape[-2:]
        seen = torch.ones(n, m, dtype=torch.bool, device=scores.device).tril(m - n)
        scores = scores.masked_fill(~seen, -math.inf)
    return scores.softmax(dim=-1)


def _through_softmax(weights: Tensor, grad: Tensor) -> Tensor:
    inner = (weights * grad).sum(dim=-2, keepdim=True)
    return weights * (grad - inner)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    weights = _weights(query, key, scale, causal)
    grad_value = weights.mT @ grad_output
    grad_scores = _through_softmax(weights, grad_output @ value.mT) * scale
    return grad_scores @ key, grad_scores.mT @ query, grad_value
