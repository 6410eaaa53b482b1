from __future__ import annotations

import torch
from torch import Tensor


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        zero = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
        return zero.masked_fill(mask.logical_not(), float("-inf"))
    return mask.to(like.dtype)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    *_, L, E = query.shape
    S = key.shape[-2]
    attn_weight = query @ key.transpose(-2, -1) * E**-0.5
    if causal:
        temp = torch.ones(L, S, dtype=torch.bool, device=query.device).tril(diagonal=S - L)
        attn_weight = attn_weight + _additive(temp, attn_weight)
    if mask is not None:
        attn_weight = attn_weight + _additive(mask, attn_weight)
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return attn_weight @ value
