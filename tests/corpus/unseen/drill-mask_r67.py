# Masken-Drill; strides statt expand, cumsum statt arange
from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    eins = torch.ones(lengths.shape[0], max_length, dtype=torch.long, device=lengths.device)
    return eins.cumsum(dim=1).le(lengths.unsqueeze(1))


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(0, (-1, 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    charge, laenge = mask.shape
    s0, s1 = mask.stride()
    return mask.as_strided((charge, heads, laenge, laenge), (s0, 0, 0, s1), mask.storage_offset())


def causal_mask(length: int) -> Tensor:
    return torch.eye(length).cumsum(dim=0).bool()


def combined_mask(mask: Tensor) -> Tensor:
    laenge = mask.shape[1]
    platz = torch.arange(laenge, device=mask.device)
    return torch.logical_and(key_mask(mask), platz.unsqueeze(0).le(platz.unsqueeze(1)))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    sichtbar = torch.as_tensor(mask, device=scores.device).ne(0)
    return torch.softmax(torch.where(sichtbar, scores, -torch.inf), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return mask.to(scores.dtype).log()
