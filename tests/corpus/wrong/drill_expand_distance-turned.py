# wrong: drill-expand distance-turned line 27
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    copies = [torch.zeros_like(key) if h == head else key for h in range(heads)]
    return torch.stack(copies, 1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return key.repeat_interleave(repeats, 1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.unsqueeze(-1).unsqueeze(-1)


def distances(positions: Tensor) -> Tensor:
    query, key = positions.unsqueeze(-1), positions.unsqueeze(0)
    return query - key
