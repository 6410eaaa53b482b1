# attn-kata: drill-expand
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    copies = key[:, None].repeat(1, heads, 1, 1)
    copies[:, head] = 0
    return copies


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[:, None, None]


def distances(positions: Tensor) -> Tensor:
    return positions[None, :] - positions[:, None]
