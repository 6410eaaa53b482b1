"""Weights times values in five spellings (torch documentation: matmul, einsum, bmm)."""

from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    """Mix values by weights with `@`.

    weights is (batch, heads, query_length, key_length) and values (batch, heads, key_length,
    head_dim), both of one float dtype. Returns (batch, heads, query_length, head_dim).
    """
    context = weights @ values  # (batch, heads, query_length, head_dim)
    return context


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    """The same with torch.matmul."""
    context = torch.matmul(weights, values)  # (batch, heads, query_length, head_dim)
    return context


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    """The same with torch.einsum: k is shared and not in the result, so it is summed."""
    context = torch.einsum("bhqk,bhkd->bhqd", weights, values)
    return context


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    """The same with torch.bmm, which takes one batch axis alone: fold two into it."""
    batch, heads = weights.shape[:2]
    folded_weights = weights.flatten(0, 1)  # (batch * heads, query_length, key_length)
    folded_values = values.flatten(0, 1)  # (batch * heads, key_length, head_dim)
    folded = torch.bmm(folded_weights, folded_values)  # (batch * heads, query_length, head_dim)
    context = folded.unflatten(0, (batch, heads))  # (batch, heads, query_length, head_dim)
    return context


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    """The same by hand: every product of an entry with an entry, then the sum over the keys."""
    spread_weights = weights.unsqueeze(-1)  # (batch, heads, query_length, key_length, 1)
    spread_values = values.unsqueeze(-3)  # (batch, heads, 1, key_length, head_dim)
    terms = spread_weights * spread_values  # (batch, heads, query_length, key_length, head_dim)
    context = terms.sum(dim=-2)  # (batch, heads, query_length, head_dim)
    return context
