from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    b, n, d = key.shape
    # reshape allocates, expand alone would not
    copies = share_keys(key, heads).reshape(b, heads, n, d)
    copies[:, head] = 0
    return copies


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    b, g, n, d = key.shape
    return key[:, :, None].expand(b, g, repeats, n, d).reshape(b, g * repeats, n, d)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.reshape(-1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    return positions.unsqueeze(0) - positions.unsqueeze(1)
