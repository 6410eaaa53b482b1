# attn-kata: drill-heads
from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    """Split the width into heads, with view; the axes move as you like, but not with permute.

    x          (batch, length, hidden_dim), any float dtype
    num_heads  divides hidden_dim; head h is features h * head_dim to (h + 1) * head_dim
    returns    (batch, heads, length, head_dim), a view of x
    """
    raise NotImplementedError("write me")


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    """The same, moving the axes only with permute; the width is cut as you like."""
    raise NotImplementedError("write me")


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    """The same, cutting the width with unflatten; the axes move as you like."""
    raise NotImplementedError("write me")


def merge_by_view(heads: Tensor) -> Tensor:
    """Undo the split, with view.

    heads    (batch, heads, length, head_dim), any float dtype
    returns  (batch, length, hidden_dim), the heads side by side in their order
    """
    raise NotImplementedError("write me")


def merge_by_reshape(heads: Tensor) -> Tensor:
    """The same, with reshape."""
    raise NotImplementedError("write me")


def merge_by_flatten(heads: Tensor) -> Tensor:
    """The same, with flatten."""
    raise NotImplementedError("write me")
