from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    # the head axis is a symmetry: moving along it changes nothing, stride 0
    b, t, f = key.stride()
    B, T, F = key.shape
    return key.as_strided((B, heads, T, F), (b, 0, t, f))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    return torch.stack([torch.zeros_like(key) if h == head else key for h in range(heads)], dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    h = torch.arange(key.shape[1] * repeats, device=key.device)
    return key[:, torch.div(h, repeats, rounding_mode="floor")]


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    # head axis last, where a vector broadcasts by itself, and back
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    x = positions.expand(len(positions), -1)
    return x - x.T
