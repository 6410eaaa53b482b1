from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    # new axes can only be put in front, so the batch is brought back behind them
    return key.expand(heads, *key.shape).transpose(0, 1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    silent = torch.arange(heads, device=key.device) == head
    return torch.where(silent.view(1, heads, 1, 1), torch.zeros_like(key[:, None]), key[:, None])


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    source = torch.arange(key.shape[1] * repeats, device=key.device).div(repeats, rounding_mode="floor")
    return key.index_select(1, source)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    steps = positions.diff(prepend=positions[:1])  # each place seen from the one before
    walked = steps.cumsum(0)
    return walked[None] - walked.reshape(-1, 1)
