# wrong: window distance-rounded line 12
# fair: distance-rounded 11
from math import sqrt

import torch
from torch import Tensor


def _band(like: Tensor, window: int) -> Tensor:
    n = like.shape[2]
    pos = torch.arange(n).to(like)
    behind = pos[:, None] - pos[None, :]
    return (behind >= 0) & (behind < window)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    scores = (query / sqrt(query.shape[3])) @ key.mT
    floor = torch.finfo(scores.dtype).min
    scores = torch.where(_band(query, window), scores, floor)
    return scores.softmax(3) @ value
