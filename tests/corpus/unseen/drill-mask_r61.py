"""Masks for the lecture. True = allowed to look, everywhere on these slides."""
import math

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return places.expand(lengths.numel(), -1).lt(lengths.unsqueeze(-1))


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    length = mask.size(-1)
    return key_mask(mask).expand(-1, heads, length, -1)


def causal_mask(length: int) -> Tensor:
    # row number >= column number
    number = torch.ones(length, length, dtype=torch.long).cumsum(0)
    return number >= number.t()


def combined_mask(mask: Tensor) -> Tensor:
    behind = causal_mask(mask.size(-1)).to(mask.device)
    return torch.logical_and(key_mask(mask), behind[None, None])


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask == 0
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0 and log 0 = -inf: the table I always put on the board
    table = mask.to(scores.dtype).log()
    assert table.max() == 0 or math.isinf(table.max())
    return table
