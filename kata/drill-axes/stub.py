# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    """Move the heads before the length, with transpose.

    x        (batch, length, heads, head_dim), any float dtype
    returns  (batch, heads, length, head_dim), a view of x
    """
    raise NotImplementedError("write me")


def by_permute(x: Tensor) -> Tensor:
    """The same, with permute."""
    raise NotImplementedError("write me")


def by_swapaxes(x: Tensor) -> Tensor:
    """The same, with swapaxes or swapdims."""
    raise NotImplementedError("write me")


def by_movedim(x: Tensor) -> Tensor:
    """The same, with movedim or moveaxis."""
    raise NotImplementedError("write me")


def swap_last(key: Tensor) -> Tensor:
    """Exchange the last two axes, in any spelling.

    key      (batch, heads, length, head_dim), any float dtype
    returns  (batch, heads, head_dim, length), a view of key
    """
    raise NotImplementedError("write me")


def swap_last_copy(key: Tensor) -> Tensor:
    """The same values and shape, as a contiguous copy: memory of its own, row by row."""
    raise NotImplementedError("write me")


def heads_to_front(x: Tensor) -> Tensor:
    """Move the heads to the front, in any spelling.

    x        (batch, length, heads, head_dim), any float dtype
    returns  (heads, batch, length, head_dim), a view of x
    """
    raise NotImplementedError("write me")


def heads_to_back(x: Tensor) -> Tensor:
    """Move the heads back behind the length, in any spelling.

    x        (heads, batch, length, head_dim), any float dtype
    returns  (batch, length, heads, head_dim), a contiguous copy
    """
    raise NotImplementedError("write me")
