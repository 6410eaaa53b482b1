# attn-kata: varlen
from __future__ import annotations

import math

import torch
from torch import Tensor

# Sequences lie one behind another in a buffer of `total` places: sequence i has lengths[i] of
# them. A length may be 0 or 1. The buffer may be longer than all sequences together: places
# behind the last one are empty.


def cumulative_lengths(lengths: Tensor) -> Tensor:
    """Where each sequence begins, and where the last one ends: FlashAttention's cu_seqlens.

    lengths  (batch,), whole numbers
    returns  (batch + 1,), whole numbers, int32 or int64: the first is 0, the last the sum
    """
    raise NotImplementedError("write me")


def document_mask(lengths: Tensor, total: int) -> Tensor:
    """Which place may see which: two of one sequence see each other.

    lengths  (batch,), with a sum of total at most
    returns  (total, total) booleans: True at (i, j) where i and j lie in one sequence; an
             empty place sees nothing, and nothing sees it
    """
    raise NotImplementedError("write me")


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    """Attention over packed sequences, each within itself alone.

    query, key, value  (total, heads, head_dim), any float dtype
    lengths  (batch,), with a sum of total at most
    causal   where True, no place sees one that comes after it
    returns  (total, heads, head_dim); 0 at empty places

    Scores are divided by √head_dim. No tensor on the way may be (…, total, total), and none may
    have more entries than query, or than the scores of the longest sequence, whichever are more:
    neither one masked attention over everything nor padding to a common length.

    Not to be used: F.scaled_dot_product_attention.
    """
    raise NotImplementedError("write me")
