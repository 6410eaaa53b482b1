from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    """A stride of 0 along the new axis, written out."""
    batch, length, width = key.shape
    over_batch, over_length, over_width = key.stride()
    return key.as_strided((batch, heads, length, width), (over_batch, 0, over_length, over_width))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    return torch.stack([key if h != head else torch.zeros_like(key) for h in range(heads)], dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    source = torch.arange(key.shape[1] * repeats, device=key.device).div(repeats, rounding_mode="floor")
    return key.index_select(1, source)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    mine, other = torch.meshgrid(positions, positions, indexing="ij")
    return other - mine
