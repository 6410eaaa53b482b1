"""Masks as they are drawn, and as they are handed over: what 1 means, and in which dtype."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["MASK_DTYPES", "SHOWN", "drawn_mask", "dressed"]

# How much of a mask is 1.
SHOWN = 0.6
# The turn at which every sample is padded.
_NONE = 2
MASK_DTYPES = (torch.int64, torch.bool, torch.float32, torch.uint8, torch.int32, torch.float64)


def drawn_mask(kind: str, shape: list[int], generator: torch.Generator, turn: int = 0) -> Tensor:
    """Draw a mask, True where one may attend, keys on its last axis and queries before them.

    turn: which of a batch's samples has no padding.
    """
    keys = shape[-1]
    if kind == "full":
        return torch.ones(shape, dtype=torch.bool)
    if kind == "padding":
        lengths = _lengths(shape[0], keys, generator, turn).view(-1, *[1] * (len(shape) - 1))
        return (torch.arange(keys) < lengths).expand(shape).clone()
    if kind == "causal" and len(shape) > 1 and shape[-2] > 1:
        queries = shape[-2]
        return torch.ones(shape, dtype=torch.bool).tril(max(0, keys - queries))
    one = torch.randint(keys, (*shape[:-1], 1), generator=generator)
    single = torch.zeros(shape, dtype=torch.bool).scatter_(-1, one, value=True)
    if kind == "single":
        return single
    mask = (torch.rand(shape, generator=generator) < SHOWN) | single
    if kind == "empty":
        rows = torch.rand((*shape[:-1], 1), generator=generator) < 0.3
        rows.view(-1)[0] = True
        mask &= ~rows
    elif keys > 1:
        # Something hidden too, so that a mask read the wrong way round shows.
        mask.view(-1)[int(torch.randint(mask.numel(), (1,), generator=generator))] = False
        mask |= single
    return mask


def _lengths(batch: int, keys: int, generator: torch.Generator, turn: int) -> Tensor:
    """Draw how many tokens each sample has: all of them by turns the first, the last or none.

    So it shows where one sample's mask is taken for that of all.
    """
    lengths = torch.randint(1, max(1, keys - 1) + 1, (batch,), generator=generator)
    if turn % 3 != _NONE:
        lengths[-(turn % 3)] = keys
    return lengths


def dressed(mask: Tensor, convention: str, dtype: torch.dtype, work: torch.dtype) -> Tensor:
    """Give a mask the meaning (keep, drop or additive) and dtype that it is handed over in."""
    if convention == "additive":
        return torch.zeros(mask.shape, dtype=work).masked_fill(~mask, float("-inf"))
    return (mask if convention == "keep" else ~mask).to(dtype)
