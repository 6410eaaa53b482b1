from __future__ import annotations

import math

import torch
from torch import Tensor


def tile(
    query: Tensor, keys: Tensor, values: Tensor, lse: Tensor, delta: Tensor,
    grad: Tensor, hidden: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    scores = torch.einsum("bhqd,bhkd->bhqk", query, keys) * scale
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    weights = torch.exp(scores - lse[..., None])
    grad_values = torch.einsum("bhqk,bhqv->bhkv", weights, grad)
    grad_weights = torch.einsum("bhqv,bhkv->bhqk", grad, values)
    grad_scores = weights * (grad_weights - delta[..., None])
    grad_queries = torch.einsum("bhqk,bhkd->bhqd", grad_scores, keys) * scale
    grad_keys = torch.einsum("bhqk,bhqd->bhkd", grad_scores, query) * scale
    return grad_queries, grad_keys, grad_values


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
    grad_output: Tensor, block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    length = key.shape[2]
    delta = (output * grad_output).sum(-1)
    order = torch.arange(length, device=query.device)
    grad_query = torch.zeros_like(query)
    grad_key = torch.empty_like(key)
    grad_value = torch.empty_like(value)
    for start in range(0, length, block_size):
        here = slice(start, start + block_size)
        hidden = order[here] > order[:, None] if causal else None
        parts = tile(query, key[:, :, here], value[:, :, here], lse, delta, grad_output, hidden)
        grad_query += parts[0]
        grad_key[:, :, here] = parts[1]
        grad_value[:, :, here] = parts[2]
    return grad_query, grad_key, grad_value
