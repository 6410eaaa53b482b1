"""Axes in another order, as views and as copies (torch documentation: Tensor Views)."""

from __future__ import annotations

from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    """Turn x, (batch, length, heads, head_dim), into (batch, heads, length, head_dim): a view."""
    swapped = x.transpose(1, 2)  # (batch, heads, length, head_dim)
    return swapped


def by_permute(x: Tensor) -> Tensor:
    """The same with permute: for each new place the old axis that comes there."""
    permuted = x.permute(0, 2, 1, 3)  # (batch, heads, length, head_dim)
    return permuted


def by_swapaxes(x: Tensor) -> Tensor:
    """The same with swapaxes, NumPy's name for transpose."""
    swapped = x.swapaxes(1, 2)  # (batch, heads, length, head_dim)
    return swapped


def by_movedim(x: Tensor) -> Tensor:
    """The same with movedim: one axis moves, the others keep their order."""
    moved = x.movedim(2, 1)  # (batch, heads, length, head_dim)
    return moved


def swap_last(key: Tensor) -> Tensor:
    """Turn key, (batch, heads, length, head_dim), into (batch, heads, head_dim, length): a view."""
    columns = key.transpose(-2, -1)  # (batch, heads, head_dim, length)
    return columns


def swap_last_copy(key: Tensor) -> Tensor:
    """The same as a contiguous copy. clone alone would keep the strides of the transpose."""
    view = key.transpose(2, 3)  # (batch, heads, head_dim, length)
    copy = view.contiguous()  # (batch, heads, head_dim, length)
    return copy


def heads_to_front(x: Tensor) -> Tensor:
    """Turn x, (batch, length, heads, head_dim), into (heads, batch, length, head_dim): a view."""
    front = x.permute(2, 0, 1, 3)  # (heads, batch, length, head_dim)
    return front


def heads_to_back(x: Tensor) -> Tensor:
    """Turn x, (heads, batch, length, head_dim), into (batch, length, heads, head_dim): a copy.

    The copy is contiguous.
    """
    back = x.permute(1, 2, 0, 3)  # (batch, length, heads, head_dim)
    packed = back.contiguous()  # (batch, length, heads, head_dim)
    return packed
