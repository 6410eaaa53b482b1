# attn-kata: backward
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class SavedForBackward:
    """What an autograd function would keep in ctx."""

    q: Tensor  # (B, H, Lq, D), scaled
    k: Tensor  # (B, H, Lk, D)
    v: Tensor  # (B, H, Lk, Dv)
    weights: Tensor  # (B, H, Lq, Lk)
    scale: float


def _recompute_forward(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> SavedForBackward:
    assert query.shape[-1] == key.shape[-1], "query and key must share head_dim"
    assert key.shape[-2] == value.shape[-2], "key and value must share key_length"
    compute_dtype = torch.promote_types(query.dtype, torch.float32)
    scale = query.shape[-1] ** -0.5
    # Scale the queries once: cheaper than scaling the (Lq, Lk) scores.
    q = query.to(compute_dtype) * scale
    k = key.to(compute_dtype)
    v = value.to(compute_dtype)
    scores = q @ k.transpose(-1, -2)
    if causal:
        query_length, key_length = scores.shape[-2:]
        offset = key_length - query_length
        rows = torch.arange(query_length, device=scores.device).unsqueeze(-1)
        cols = torch.arange(key_length, device=scores.device).unsqueeze(0)
        scores = scores.masked_fill(cols > rows + offset, float("-inf"))
    return SavedForBackward(q=q, k=k, v=v, weights=scores.softmax(dim=-1), scale=scale)


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    saved = _recompute_forward(query, key, value, causal)
    grad_out = grad_output.to(saved.weights.dtype)

    grad_value = saved.weights.transpose(-1, -2) @ grad_out
    grad_weights = grad_out @ saved.v.transpose(-1, -2)
    row_sums = (grad_weights * saved.weights).sum(dim=-1, keepdim=True)
    grad_scores = saved.weights * (grad_weights - row_sums)
    # The scale already sits in saved.q.
    grad_key = grad_scores.transpose(-1, -2) @ saved.q
    grad_query = grad_scores @ saved.k

    assert grad_query.shape == query.shape
    assert grad_key.shape == key.shape
    assert grad_value.shape == value.shape
    return grad_query.to(query.dtype), grad_key.to(key.dtype), grad_value.to(value.dtype)
