# attn-kata: tree-mask
from __future__ import annotations

import math

import torch
from torch import Tensor

# A small model drafts a tree of tokens behind a prefix. Token i's parent is token i - back[i];
# where that is below 0, the token follows the prefix directly. back[i] is 1 or more, so parents
# come before their children.


def tree_mask(back: Tensor) -> Tensor:
    """Which drafted token may see which: its ancestors and itself, and no others.

    back     (drafted,), whole numbers from 1 up
    returns  (drafted, drafted) booleans: True at (i, j) where i sees j
    """
    raise NotImplementedError("write me")


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    """Attention of all drafted tokens at once, each to the prefix, its ancestors and itself.

    query    (batch, heads, drafted, head_dim), any float dtype
    key      (batch, heads, key_length, head_dim), value likewise: first the prefix, then the
             drafted tokens; key_length is prefix + drafted
    back     (drafted,), one tree for all sequences
    returns  (batch, heads, drafted, head_dim)

    Scores are divided by √head_dim.

    Not to be used: F.scaled_dot_product_attention. Only the forward pass is judged.
    """
    raise NotImplementedError("write me")
