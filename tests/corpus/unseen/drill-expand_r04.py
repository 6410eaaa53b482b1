from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, width = key.shape
    return torch.broadcast_to(key.unsqueeze(1), (batch, heads, length, width))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    silent = torch.zeros_like(key)
    return torch.stack([silent if h == head else key for h in range(heads)], dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    kv_heads = key.shape[1]
    source = torch.arange(kv_heads * repeats, device=key.device) // repeats
    return key.index_select(1, source)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    # heads last, so that (heads,) lines up by itself
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    rows, columns = torch.meshgrid(positions, positions, indexing="ij")
    return columns - rows
