# attn-kata: drill-expand
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    # a new axis for the heads, then expand it
    key = key.unsqueeze(1)
    return key.expand(key.shape[0], heads, key.shape[2], key.shape[3])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    # every head gets its own tensor, then they are stacked
    parts = []
    for h in range(heads):
        if h == head:
            parts.append(torch.zeros_like(key))
        else:
            parts.append(key)
    return torch.stack(parts, dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    parts = []
    for h in range(key.shape[1]):
        for _ in range(repeats):
            parts.append(key[:, h])
    return torch.stack(parts, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    slopes = slopes.reshape(1, slopes.shape[0], 1, 1)
    return scores + slopes


def distances(positions: Tensor) -> Tensor:
    # only the difference counts, so it does not matter where the positions start
    length = positions.shape[0]
    steps = torch.arange(length, device=positions.device)
    rows = steps.reshape(length, 1)
    columns = steps.reshape(1, length)
    return columns - rows
