# attn-kata: drill-expand
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    """View keys (batch, length, head_dim) as (batch, heads, length, head_dim).

    Every head sees the same keys. No copy: the result shares the memory of key.
    """
    raise NotImplementedError("write me")


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    """Give every head a copy of keys (batch, length, head_dim); that of number head is all 0.

    heads    2 or more
    head     from 0 to heads - 1
    returns  (batch, heads, length, head_dim), in memory of its own; key stays as it was
    """
    raise NotImplementedError("write me")


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    """Repeat the heads of keys (batch, kv_heads, length, head_dim), copies side by side.

    returns  (batch, kv_heads * repeats, length, head_dim): head h is head h // repeats of key;
             contiguous or not, and with repeats 1 key itself will do
    """
    raise NotImplementedError("write me")


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    """Add one number per head, slopes (heads,), to scores (batch, heads, length, length).

    Not to be used: expand, broadcast_to, repeat, tile, stack, cat and their variants, loops. Let
    the addition broadcast.
    """
    raise NotImplementedError("write me")


def distances(positions: Tensor) -> Tensor:
    """Return (length, length) whole numbers: positions[j] - positions[i] in row i, column j.

    positions  (length,), int64, from anywhere and in any order; any integer dtype may come back
    """
    raise NotImplementedError("write me")
