# wrong: drill-heads heads-not-moved line 21
"""Split a width into heads and merge it back (Attention Is All You Need, section 3.2.2)."""

from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    """Split x, (batch, length, hidden_dim), into (batch, heads, length, head_dim): a view of x."""
    b, seq_len, hidden_dim = x.shape
    head_dim = hidden_dim // num_heads
    mixed = x.view(b, seq_len, num_heads, head_dim)  # (batch, length, heads, head_dim)
    heads = mixed.transpose(1, 2)  # (batch, heads, length, head_dim)
    return heads


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    """The same, with permute to move the axes."""
    cut = x.reshape(*x.shape[:2], num_heads, -1)  # (batch, length, heads, head_dim)
    heads = cut.permute(0, 1, 2, 3)  # (batch, heads, length, head_dim)
    return heads


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    """The same, with unflatten to cut the width."""
    unfolded = x.unflatten(-1, (num_heads, -1))  # (batch, length, heads, head_dim)
    heads = unfolded.transpose(1, 2)  # (batch, heads, length, head_dim)
    return heads


def merge_by_view(heads: Tensor) -> Tensor:
    """Merge heads, (batch, heads, length, head_dim), into (batch, length, hidden_dim)."""
    moved = heads.transpose(1, 2)  # (batch, length, heads, head_dim)
    # The transpose left heads and head_dim apart in memory; view cannot join them there.
    packed = moved.contiguous()  # (batch, length, heads, head_dim)
    b, num_heads, seq_len, head_dim = heads.shape
    joined = packed.view(b, seq_len, num_heads * head_dim)  # (batch, length, hidden_dim)
    return joined


def merge_by_reshape(heads: Tensor) -> Tensor:
    """The same, with reshape, which copies where it must."""
    b, num_heads, seq_len, head_dim = heads.shape
    turned = heads.permute(0, 2, 1, 3)  # (batch, length, heads, head_dim)
    joined = turned.reshape(b, seq_len, num_heads * head_dim)  # (batch, length, hidden_dim)
    return joined


def merge_by_flatten(heads: Tensor) -> Tensor:
    """The same, with flatten, which joins neighbouring axes."""
    swung = heads.transpose(1, 2)  # (batch, length, heads, head_dim)
    joined = swung.flatten(2, 3)  # (batch, length, hidden_dim)
    return joined
