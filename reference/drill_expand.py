"""Axes that are repeated: as a view with stride 0, as memory of one's own, or by broadcasting.

The order in which groups of heads are repeated is that of Ainslie et al. 2023, GQA.
"""

from __future__ import annotations

from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    """View keys (batch, length, head_dim) as (batch, heads, length, head_dim), the same for all."""
    alone = key.unsqueeze(1)  # (batch, 1, length, head_dim)
    shared = alone.expand(-1, heads, -1, -1)  # (batch, heads, length, head_dim)
    return shared


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    """Give every head a copy of keys (batch, length, head_dim); that of number head is all 0.

    Returns (batch, heads, length, head_dim) in memory of its own; key stays as it was.
    """
    own = key[:, None].repeat(1, heads, 1, 1)  # (batch, heads, length, head_dim)
    own[:, head] = 0.0
    return own


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    """Repeat the heads of keys (batch, kv_heads, length, head_dim), copies side by side.

    Returns (batch, kv_heads * repeats, length, head_dim): head h is head h // repeats of key.
    """
    singles = key.unsqueeze(2)  # (batch, kv_heads, 1, length, head_dim)
    groups = singles.expand(-1, -1, repeats, -1, -1)  # (batch, kv_heads, repeats, length, head_dim)
    repeated = groups.flatten(1, 2)  # (batch, query_heads, length, head_dim)
    return repeated


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    """Add one number a head, slopes (heads,), to scores (batch, heads, length, length)."""
    by_head = slopes[:, None, None]  # (heads, 1, 1)
    raised = scores + by_head  # (batch, heads, length, length)
    return raised


def distances(positions: Tensor) -> Tensor:
    """Return (length, length) whole numbers: positions[j] - positions[i] in row i, column j."""
    columns = positions[None, :]  # (1, length)
    rows = positions[:, None]  # (length, 1)
    apart = columns - rows  # (length, length)
    return apart
