"""Attention with an additive bias, built once."""

import math

import torch
from torch import Tensor, einsum


def build_bias(q_len: int, k_len: int, like: Tensor, mask: Tensor | None, causal: bool) -> Tensor:
    bias = torch.zeros((1, 1, q_len, k_len), dtype=like.dtype, device=like.device)
    if mask is not None:
        bias = bias.masked_fill(mask.bool().logical_not(), float("-inf"))
    if causal:
        rows = torch.arange(k_len - q_len, k_len, device=like.device).view(-1, 1)
        cols = torch.arange(k_len, device=like.device).view(1, -1)
        bias = bias.masked_fill(cols > rows, float("-inf"))
    return bias


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    logits = einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    logits = logits + build_bias(query.shape[-2], key.shape[-2], query, mask, causal)
    return einsum("bhqk,bhkv->bhqv", torch.softmax(logits, dim=-1), value)
