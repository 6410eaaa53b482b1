"""Split a width into heads and merge it back (Attention Is All You Need, section 3.2.2)."""

from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    """Split x, (batch, length, hidden_dim), into (batch, heads, length, head_dim): a view of x."""
    batch, length, hidden_dim = x.shape
    head_dim = hidden_dim // num_heads
    by_position = x.view(batch, length, num_heads, head_dim)  # (batch, length, heads, head_dim)
    heads = by_position.transpose(1, 2)  # (batch, heads, length, head_dim)
    return heads


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    """The same, with permute to move the axes."""
    cut = x.reshape(*x.shape[:2], num_heads, -1)  # (batch, length, heads, head_dim)
    heads = cut.permute(0, 2, 1, 3)  # (batch, heads, length, head_dim)
    return heads


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    """The same, with unflatten to cut the width."""
    unfolded = x.unflatten(-1, (num_heads, -1))  # (batch, length, heads, head_dim)
    heads = unfolded.transpose(1, 2)  # (batch, heads, length, head_dim)
    return heads


def merge_by_view(heads: Tensor) -> Tensor:
    """Merge heads, (batch, heads, length, head_dim), into (batch, length, hidden_dim)."""
    batch, num_heads, length, head_dim = heads.shape
    moved = heads.transpose(1, 2)  # (batch, length, heads, head_dim)
    # The transpose left heads and head_dim apart in memory; view cannot join them there.
    packed = moved.contiguous()  # (batch, length, heads, head_dim)
    merged = packed.view(batch, length, num_heads * head_dim)  # (batch, length, hidden_dim)
    return merged


def merge_by_reshape(heads: Tensor) -> Tensor:
    """The same, with reshape, which copies where it must."""
    batch, num_heads, length, head_dim = heads.shape
    turned = heads.permute(0, 2, 1, 3)  # (batch, length, heads, head_dim)
    merged = turned.reshape(batch, length, num_heads * head_dim)  # (batch, length, hidden_dim)
    return merged


def merge_by_flatten(heads: Tensor) -> Tensor:
    """The same, with flatten, which joins neighbouring axes."""
    swung = heads.transpose(1, 2)  # (batch, length, heads, head_dim)
    merged = swung.flatten(2, 3)  # (batch, length, hidden_dim)
    return merged
