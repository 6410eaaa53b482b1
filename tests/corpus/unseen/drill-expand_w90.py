from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return torch.broadcast_to(key.unsqueeze(1), (key.size(0), heads, key.size(1), key.size(2)))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    copies = key.unsqueeze(1).repeat(1, heads, 1, 1)
    copies[:, head] = 0.0
    return copies


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    batch, kv_heads, length, head_dim = key.shape
    wide = torch.repeat_interleave(key, repeats, dim=2)
    return wide.view(batch, kv_heads * repeats, length, head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores.add(slopes.view(1, -1, 1, 1))


def distances(positions: Tensor) -> Tensor:
    return positions.unsqueeze(0) - positions.unsqueeze(1)
