# attn-kata: drill-matmul
from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    """(B, H, Q, K) @ (B, H, K, D) -> (B, H, Q, D)"""
    assert weights.shape[-1] == values.shape[-2], "key_length must agree"
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    """(B, H, Q, K) x (B, H, K, D) -> (B, H, Q, D)"""
    assert weights.shape[-1] == values.shape[-2], "key_length must agree"
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    """(B, H, Q, K) x (B, H, K, D) -> (B, H, Q, D)"""
    assert weights.shape[-1] == values.shape[-2], "key_length must agree"
    return torch.einsum("b h q k, b h k d -> b h q d", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    """(B, H, Q, K) x (B, H, K, D) -> (B, H, Q, D)"""
    batch, heads, query_length, key_length = weights.shape
    head_dim = values.shape[-1]
    # fold: (B * H, Q, K) and (B * H, K, D)
    flat_weights = weights.reshape(-1, query_length, key_length)
    flat_values = values.reshape(-1, key_length, head_dim)
    flat_context = torch.bmm(flat_weights, flat_values)
    # unfold: (B, H, Q, D)
    context = flat_context.view(heads, batch, query_length, head_dim).transpose(0, 1)
    assert context.shape == (batch, heads, query_length, head_dim)
    return context


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    """(B, H, Q, K, 1) * (B, H, 1, K, D), summed over K"""
    assert weights.shape[-1] == values.shape[-2], "key_length must agree"
    products = weights.unsqueeze(-1) * values.unsqueeze(-3)
    return products.sum(dim=-2)
