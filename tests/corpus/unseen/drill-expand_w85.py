from __future__ import annotations

import torch
from torch import Tensor

share_keys = lambda key, heads: key[:, None].expand(key.shape[0], heads, *key.shape[1:])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    silent = torch.zeros_like(key)
    return torch.stack([silent if h == head else key for h in range(heads)], dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    b, h, l, d = key.shape
    return key[:, :, None].expand(b, h, repeats, l, d).reshape(b, -1, l, d)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    per_head = slopes.reshape(1, -1, 1, 1)
    return per_head.add(scores)


def distances(positions: Tensor) -> Tensor:
    p = positions.to(torch.get_default_dtype())
    column, row = p.view(-1, 1), p.view(1, -1)
    return (row - column).round().long()
