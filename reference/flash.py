"""FlashAttention's forward pass: attention over tiles of keys with a running softmax.

Dao, Fu, Ermon, Rudra and Ré 2022, FlashAttention, algorithm 1, in the order of FlashAttention-2
(Dao 2023, section 3.1), which divides once at the end; the running softmax is that of Milakov
and Gimelshein 2018, Online normalizer calculation for softmax, algorithm 3.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Attend to block_size keys at a time, and never hold the scores of all keys at once.

    query, key and value are (batch, heads, length, head_dim) of any float dtype, and so is what
    is returned. block_size need not divide length, and may be larger. causal: no query sees a
    key that comes after it.
    """
    length, head_dim = query.shape[-2:]
    query_positions = torch.arange(length, device=query.device).unsqueeze(-1)  # (length, 1)
    highest = query.new_full((*query.shape[:-1], 1), float("-inf"))  # (batch, heads, length, 1)
    total = torch.zeros_like(highest)  # (batch, heads, length, 1)
    gathered = torch.zeros_like(query)  # (batch, heads, length, head_dim)
    for start in range(0, length, block_size):
        # A tile of keys, of which the last may have fewer.
        keys = key[..., start : start + block_size, :]
        values = value[..., start : start + block_size, :]
        products = query @ keys.mT
        scores = products / math.sqrt(head_dim)
        if causal:
            key_positions = torch.arange(start, start + keys.shape[-2], device=query.device)
            ahead = key_positions > query_positions
            masked_scores = scores.masked_fill(ahead, float("-inf"))
        else:
            masked_scores = scores
        tile_highest = masked_scores.amax(dim=-1, keepdim=True)  # (batch, heads, length, 1)
        # Every query sees the first key, so that from the first tile on no maximum is -inf.
        new_highest = torch.maximum(highest, tile_highest)  # (batch, heads, length, 1)
        exps = (masked_scores - new_highest).exp()
        # What was gathered so far was measured from the old maximum.
        rescale = (highest - new_highest).exp()  # (batch, heads, length, 1)
        total = rescale * total + exps.sum(dim=-1, keepdim=True)  # (batch, heads, length, 1)
        gathered = rescale * gathered + exps @ values  # (batch, heads, length, head_dim)
        highest = new_highest
    output = gathered / total  # (batch, heads, length, head_dim)
    return output
