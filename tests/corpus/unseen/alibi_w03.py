# attn-kata: alibi
from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    floor = 2 ** int(math.log2(heads))
    own = 2.0 ** (torch.arange(1, floor + 1, dtype=torch.float32) * (-8.0 / floor))
    if floor == heads:
        return own
    extra = 2.0 ** (torch.arange(1, 2 * floor + 1, 2, dtype=torch.float32) * (-4.0 / floor))
    return torch.cat((own, extra[: heads - floor]))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    first = key_length - query_length
    distance = torch.arange(first, key_length)[:, None] - torch.arange(key_length)[None, :]
    linear = distance * -slopes(heads)[:, None, None]
    return torch.where(distance < 0, float("-inf"), linear)


def _scores(query: Tensor, key: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if query.shape[2] == 1:
        # the newest position sees everything
        return scores
    extra = bias(query.shape[1], query.shape[2], key.shape[2])
    return scores + extra.to(dtype=scores.dtype, device=scores.device)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch.softmax(_scores(query, key), dim=-1) @ value
