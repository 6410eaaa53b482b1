from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    """(batch, length, head_dim) -> (batch, heads, length, head_dim) with a stride of 0."""
    batch, length, head_dim = key.shape
    return torch.broadcast_to(key.view(batch, 1, length, head_dim), (batch, heads, length, head_dim))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    batch, length, head_dim = key.shape
    result = key.new_empty(batch, heads, length, head_dim)
    with torch.no_grad():
        for index in range(heads):
            if index == head:
                result[:, index].zero_()
            else:
                result[:, index].copy_(key)
    return result


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    pieces = []
    for kv_head in key.split(1, dim=1):
        pieces.extend([kv_head] * repeats)
    return torch.cat(pieces, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    return torch.sub(positions[None, :], positions[:, None])
