# attn-kata: backward
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Saved(NamedTuple):
    """What the forward pass would have left behind."""

    query: Tensor
    key: Tensor
    value: Tensor
    probs: Tensor
    output: Tensor


def recompute(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Saved:
    query = query / math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1)
    if causal:
        q_len, k_len = scores.shape[-2:]
        allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=scores.device).tril(k_len - q_len)
        scores = scores.masked_fill(~allowed, float("-inf"))
    probs = scores.softmax(dim=-1)
    return Saved(query, key, value, probs, probs @ value)


def softmax_adjoint(saved: Saved, grad_output: Tensor) -> Tensor:
    """The gradient at the scores."""
    grad_probs = grad_output @ saved.value.transpose(-2, -1)
    delta = (grad_output * saved.output).sum(dim=-1, keepdim=True)
    return saved.probs * (grad_probs - delta)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    saved = recompute(query, key, value, causal)
    grad_scores = softmax_adjoint(saved, grad_output)
    grad_query = grad_scores @ saved.key
    grad_key = grad_scores.transpose(-2, -1) @ saved.query
    grad_value = saved.probs.transpose(-2, -1) @ grad_output
    return grad_query, grad_key, grad_value
