"""Typed, with one helper that all share."""

from __future__ import annotations

import torch
from torch import Tensor

NEG_INF: float = float("-inf")


def _positions(n: int, device: torch.device | None = None) -> Tensor:
    return torch.arange(n, device=device)


def lengths_to_mask(lengths: Tensor, max_len: int | None = None) -> Tensor:
    width = int(lengths.max().item()) if max_len is None else max_len
    return _positions(width, lengths.device).expand(lengths.shape[0], width).lt(lengths.view(-1, 1))


def key_mask(mask: Tensor) -> Tensor:
    batch, length = mask.shape
    return mask.reshape(batch, 1, 1, length)


def expanded_mask(mask: Tensor, num_heads: int) -> Tensor:
    batch, length = mask.shape
    return key_mask(mask).expand(batch, num_heads, length, length)


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    query = _positions(length, device).unsqueeze(-1)
    key = _positions(length, device).unsqueeze(-2)
    return torch.ge(query, key)


def combined_mask(mask: Tensor) -> Tensor:
    return torch.logical_and(key_mask(mask), causal_mask(mask.shape[-1], mask.device))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    bias = torch.zeros_like(scores).masked_fill_(mask.logical_not(), NEG_INF)
    return (scores + bias).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return scores.new_full(mask.shape, NEG_INF).masked_fill(mask, 0.0)
