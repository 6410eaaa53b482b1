# wrong: drill-expand axes-wrong-order line 35
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    """(B, T, D) -> (B, H, T, D), stride 0 over the heads."""
    assert key.dim() == 3, "key must be (batch, length, head_dim)"
    batch, length, head_dim = key.shape
    return key.unsqueeze(1).expand(batch, heads, length, head_dim)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    """(B, T, D) -> (B, H, T, D) with head number `head` at 0."""
    assert 0 <= head < heads, "no such head"
    result = share_keys(key, heads).clone(memory_format=torch.contiguous_format)
    result[:, head].zero_()
    return result


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    """(B, K, T, D) -> (B, K * repeats, T, D), copies side by side."""
    assert repeats >= 1, "repeats must be positive"
    if repeats == 1:
        return key
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    """(B, H, T, T) + (H,): with the heads last, broadcasting lines up by itself."""
    assert scores.shape[1] == slopes.shape[0], "one slope per head"
    heads_last = scores.movedim(1, -1)
    return (heads_last + slopes).movedim(1, -1)


def distances(positions: Tensor) -> Tensor:
    """(T,) -> (T, T)"""
    assert positions.dim() == 1, "positions must be (length,)"
    return positions.unsqueeze(0) - positions.unsqueeze(1)
