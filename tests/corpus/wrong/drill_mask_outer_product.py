# wrong: drill-mask mask-hides-queries line 36
# fair: mask-hides-queries 37
from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

iota = torch.arange


def outer(op, rows: Tensor, columns: Tensor) -> Tensor:
    return op(rows[..., :, None], columns[..., None, :])


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return outer(torch.gt, lengths, iota(max_length, device=lengths.device))


def key_mask(mask: Tensor) -> Tensor:
    return mask[..., None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).expand(-1, heads, mask.shape[-1], -1)


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    place = iota(length, device=device)
    return outer(torch.ge, place, place)


def combined_mask(mask: Tensor) -> Tensor:
    causal = causal_mask(mask.shape[-1], mask.device)
    real = outer(torch.logical_and, mask, mask)
    return (real & causal)[:, None]


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    keep = mask.ne(0)
    return torch.where(keep, scores, torch.finfo(scores.dtype).min).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    like = partial(torch.full_like, mask, dtype=scores.dtype)
    return torch.where(mask, like(fill_value=0.0), like(fill_value=-torch.inf))
