from __future__ import annotations

import math

import torch
from torch import Tensor


def ancestors(i: int, back: list[int]) -> list[int]:
    p = i - back[i]
    return [i] if p < 0 else [i, *ancestors(p, back)]


def tree_mask(back: Tensor) -> Tensor:
    steps = [int(s) for s in back]
    out = torch.zeros(len(steps), len(steps), dtype=torch.bool, device=back.device)
    for i in range(len(steps)):
        out[i, ancestors(i, steps)] = True
    return out


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, key_length = query.shape[2], key.shape[2]
    prefix = key_length - drafted
    mask = torch.ones(drafted, key_length, dtype=torch.bool, device=query.device).tril(prefix)
    scores = query @ key.mT
    scores = scores / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    return weights @ value
