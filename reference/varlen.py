"""Attention over packed sequences, as FlashAttention's varlen interface has it (Dao et al. 2022).

Sequences of any length lie one behind another in a buffer, with nothing between them: Krell et
al. 2021, Efficient Sequence Packing without Cross-contamination.
"""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor, nn


def cumulative_lengths(lengths: Tensor) -> Tensor:
    """Where each sequence begins, and where the last one ends: FlashAttention's cu_seqlens.

    lengths is (batch,), whole numbers of which any may be 0; returns (batch + 1,), int32.
    """
    ends = lengths.cumsum(dim=0)  # (batch,)
    bounds = nn.functional.pad(ends, (1, 0))  # (bounds,)
    return bounds.to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    """Which place may see which, (total, total) booleans: those of one sequence each other.

    Places behind the last sequence are empty: they see nothing, and nothing sees them.
    """
    starts = cumulative_lengths(lengths)  # (bounds,)
    places = torch.arange(total, device=lengths.device)  # (total,)
    # How many sequences have ended by here, those of length 0 too.
    document = torch.searchsorted(starts[1:], places, right=True)  # (total,)
    filled = places < starts[-1]  # (total,)
    same = document[:, None] == document  # (total, total)
    seen = same & filled  # (total, total)
    return seen


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    """Attend within each sequence of a packed buffer, and never make what all would need at once.

    query, key and value are (total, heads, head_dim) of any float dtype, and so is what is
    returned; lengths is (batch,), with a sum of total at most. Places behind the last sequence
    are 0. causal: no place sees one that comes after it.
    """
    head_dim = query.shape[-1]
    bounds_here = cumulative_lengths(lengths).tolist()
    output = torch.zeros_like(query)  # (total, heads, head_dim)
    for start, end in pairwise(bounds_here):
        # Heads in front, so that scores are between the places of one sequence.
        queries = query[start:end].transpose(0, 1)
        keys = key[start:end].transpose(0, 1)
        values = value[start:end].transpose(0, 1)
        products = queries @ keys.mT
        scores = products / math.sqrt(head_dim)
        square = scores.new_ones(scores.shape[-2:])
        hidden = square.triu(diagonal=1) if causal else torch.zeros_like(square)
        masked_scores = scores.masked_fill(hidden != 0, float("-inf"))
        weights = masked_scores.softmax(dim=-1)
        context = weights @ values
        output[start:end] = context.transpose(0, 1)
    return output
