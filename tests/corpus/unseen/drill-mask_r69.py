from __future__ import annotations

from torch import bool, broadcast_to, log, logical_and, tensor, where, zeros
from torch import Tensor
import torch.nn.functional as F


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = [[place < int(n) for place in range(max_length)] for n in lengths]
    return tensor(rows, dtype=bool, device=lengths.device)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return broadcast_to(key_mask(mask), (len(mask), heads, mask.shape[1], mask.shape[1]))


def causal_mask(length: int) -> Tensor:
    out = zeros(length, length).to(bool)
    for i in range(length):
        out[i, : i + 1] = True
    return out


def combined_mask(mask: Tensor) -> Tensor:
    both = logical_and(causal_mask(mask.shape[1]).to(mask.device), mask.unsqueeze(1))
    return both.unsqueeze(1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask == 0
    return F.softmax(where(hidden, scores.new_tensor(float("-inf")), scores), -1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return log(mask.to(scores.dtype))
