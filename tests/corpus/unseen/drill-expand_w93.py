from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, width = key.shape
    return key.unsqueeze(1).expand(batch, heads, length, width)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    keep = torch.arange(heads, device=key.device) != head
    return share_keys(key, heads).clone() * keep[None, :, None, None]


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    return key.unsqueeze(2).expand(-1, -1, repeats, -1, -1).flatten(1, 2)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.add(scores, slopes[None, :, None, None])


def distances(positions: Tensor) -> Tensor:
    return torch.vmap(lambda own: own - positions)(positions)
