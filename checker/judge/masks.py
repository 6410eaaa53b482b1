"""Masks as they are drawn, and as they are handed over: what 1 means, and in which dtype."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["MASK_DTYPES", "SHOWN", "drawn_mask", "dressed", "with_one_whole"]

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
        most = max(1, keys - 1)
        lengths = torch.randint(
            1, most + 1, (shape[0], *[1] * (len(shape) - 1)), generator=generator
        )
        with_one_whole(lengths, keys, turn)
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


def with_one_whole(lengths: Tensor, most: int, turn: int) -> None:
    """Let by turns the first sample, the last or none have as many tokens as there may be.

    So it shows where one sample's padding is taken for that of all.
    """
    if turn % 3 != _NONE:
        lengths[-(turn % 3)] = most


def dressed(mask: Tensor, convention: str, dtype: torch.dtype, work: torch.dtype) -> Tensor:
    """Give a mask the meaning (keep, drop or additive) and dtype that it is handed over in."""
    if convention == "additive":
        return torch.zeros(mask.shape, dtype=work).masked_fill(~mask, float("-inf"))
    return (mask if convention == "keep" else ~mask).to(dtype)
