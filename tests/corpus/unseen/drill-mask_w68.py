from __future__ import annotations

import math

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    nb = lengths.size(0)
    cols = torch.arange(max_length, device=lengths.device).expand(nb, max_length)
    return cols < lengths.view(nb, 1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    nb, n = mask.shape
    full = mask.view(nb, 1, 1, n).expand(nb, heads, n, n)
    # row-major, as the kernels downstream like it
    return full.contiguous()


def causal_mask(length: int) -> Tensor:
    rows = torch.arange(length).view(length, 1)
    cols = torch.arange(length).view(1, length)
    return cols <= rows


def combined_mask(mask: Tensor) -> Tensor:
    nb, n = mask.shape
    out = causal_mask(n).to(mask.device).repeat(nb, 1, 1, 1)
    for b in range(nb):
        out[b, 0] &= mask[b]
    return out


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask.eq(0)
    return torch.softmax(scores.masked_fill(hidden, -math.inf), dim=3)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    out = scores.new_zeros(mask.shape)
    out[~mask] = -math.inf
    return out
