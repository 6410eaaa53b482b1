# attn-kata: split-k
from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    """Attention over one chunk of keys, and the log-sum-exp of its scores.

    query    (batch, heads, query_length, head_dim), any float dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    seen     (batch, key_length), bool: True where a key counts, for all queries of a sequence
    returns  (batch, heads, query_length, value_dim), the softmax over this chunk's keys alone,
             and (batch, heads, query_length), log Σ exp(score) over them; 0 and -inf where
             none is seen
    """
    raise NotImplementedError("write me")


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    """What one chunk with all the keys would give, from what the chunks gave.

    outputs  (splits, batch, heads, query_length, value_dim)
    lses     (splits, batch, heads, query_length); a chunk with -inf takes no part
             (where all have it: 0 and -inf)
    returns  (batch, heads, query_length, value_dim) and (batch, heads, query_length)
    """
    raise NotImplementedError("write me")


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    """Decoding over a cache in chunks: each by itself, then merged.

    query    (batch, heads, query_length, head_dim); key, value as above, the whole cache
    lengths  (batch,), integers from 1 to key_length: a sequence's keys from there on are empty
             places, which nobody sees
    splits   how many chunks the keys are cut into; need not divide key_length, may be larger
    returns  (batch, heads, query_length, value_dim), exact but for rounding

    No tensor on the way may have both query_length and key_length among its axes where splits
    is 2 or more: scores are held one chunk at a time, or with an axis for the chunks.

    Not to be used: F.scaled_dot_product_attention. Only the forward pass is judged.
    """
    raise NotImplementedError("write me")
