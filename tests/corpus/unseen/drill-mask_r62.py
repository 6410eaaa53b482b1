from __future__ import annotations

from functools import reduce
from operator import and_

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

NEG = float("-inf")


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = [torch.ones(int(n), dtype=torch.bool, device=lengths.device) for n in lengths]
    block = pad_sequence(rows, batch_first=True)
    return F.pad(block, (0, max_length - block.shape[1]), value=False)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, n = mask.shape
    return torch.broadcast_to(mask.unsqueeze(1).unsqueeze(1), (b, heads, n, n))


def causal_mask(length: int) -> Tensor:
    above = torch.triu(torch.ones((length, length)), diagonal=1)
    return above < 0.5


def combined_mask(mask: Tensor) -> Tensor:
    n = mask.shape[1]
    i = torch.arange(n, device=mask.device)
    conditions = (mask.reshape(-1, 1, 1, n), i <= i[:, None])
    return reduce(and_, conditions)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    shown = torch.where(mask.bool(), scores, NEG)
    shown = shown - shown.amax(-1, keepdim=True)
    e = shown.exp()
    return e / e.sum(-1, keepdim=True)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    out = scores.new_full(mask.shape, NEG)
    out[mask] = 0
    return out
