"""Decoding over chunks of keys, merged by their log-sum-exps (Flash-Decoding, Dao et al. 2023).

The merge is Rabe and Staats 2021, Self-attention Does Not Need O(n²) Memory, and the step of
ring attention (Liu et al. 2023).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    """Attend to one chunk of keys, and say what it has to be weighed by among other chunks.

    query is (batch, heads, query_length, head_dim), key (batch, heads, key_length, head_dim)
    and value (batch, heads, key_length, value_dim), any float dtype; seen, booleans, is (batch,
    key_length). Returns the chunk's own attention, (batch, heads, query_length, value_dim), and
    the log-sum-exp of its scores, (batch, heads, query_length): 0 and -inf where none is seen.
    """
    head_dim = query.shape[-1]
    products = query @ key.mT
    scores = products / math.sqrt(head_dim)
    hidden = ~seen[:, None, None, :]
    masked_scores = scores.masked_fill(hidden, float("-inf"))
    highest = masked_scores.amax(dim=-1, keepdim=True)  # (batch, heads, query_length, 1)
    # Where nothing is seen the maximum is -inf, and -inf − -inf would be NaN.
    finite_highest = highest.clamp_min(torch.finfo(scores.dtype).min)
    exps = (masked_scores - finite_highest).exp()
    total = exps.sum(dim=-1, keepdim=True)  # (batch, heads, query_length, 1)
    gathered = exps @ value  # (batch, heads, query_length, value_dim)
    # The highest score adds exp(0), so that a total below 1 is that of nothing.
    chunk_output = gathered / total.clamp_min(1)  # (batch, heads, query_length, value_dim)
    log_sums = finite_highest + total.log()  # (batch, heads, query_length, 1)
    chunk_lse = log_sums.squeeze(-1)  # (batch, heads, query_length)
    return chunk_output, chunk_lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    """Merge what chunks gave into what one chunk with all of their keys would give.

    outputs is (splits, batch, heads, query_length, value_dim) and lses (splits, batch, heads,
    query_length); returns both without their first axis. A chunk with lse -inf takes no part;
    where all have it, that is what comes back, with an output of 0.
    """
    highest_lse = lses.amax(dim=0)  # (batch, heads, query_length)
    finite_lse = highest_lse.clamp_min(torch.finfo(lses.dtype).min)  # (batch, heads, query_length)
    shares = (lses - finite_lse).exp()  # (splits, batch, heads, query_length)
    whole = shares.sum(dim=0)  # (batch, heads, query_length)
    merged_lse = finite_lse + whole.log()  # (batch, heads, query_length)
    fractions = shares / whole.clamp_min(1)  # (splits, batch, heads, query_length)
    weighed = fractions.unsqueeze(-1) * outputs
    merged = weighed.sum(dim=0)  # (batch, heads, query_length, value_dim)
    return merged, merged_lse


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    """Attend to each sequence's first `lengths` keys, in `splits` chunks side by side.

    query, key and value are as above, with the whole cache in key and value; lengths is (batch,),
    each from 1 to key_length. Returns (batch, heads, query_length, value_dim).
    """
    key_length = key.shape[-2]
    chunk_size = -(-key_length // splits)
    positions = torch.arange(key_length, device=key.device)  # (key_length,)
    filled = positions < lengths[:, None]  # (batch, key_length)
    parts = [
        chunk_attention(
            query,
            key[..., start : start + chunk_size, :],
            value[..., start : start + chunk_size, :],
            filled[:, start : start + chunk_size],
        )
        for start in range(0, key_length, chunk_size)
    ]
    chunk_outputs = torch.stack([chunk_output for chunk_output, _ in parts])
    chunk_lses = torch.stack([chunk_lse for _, chunk_lse in parts])
    output, _ = merge(chunk_outputs, chunk_lses)
    return output
