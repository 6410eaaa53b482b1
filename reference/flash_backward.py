"""FlashAttention-2's backward pass: gradients over tiles of keys, whose weights are recomputed.

Dao 2023, FlashAttention-2, algorithm 2: P = exp(S − lse) tile by tile, and the row sums of
softmax's gradient from D = rowsum(dO ∘ O).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients with respect to query, key and value, block_size keys at a time.

    query and key are (batch, heads, length, head_dim), value, output and grad_output (batch,
    heads, length, value_dim), any float dtype; lse is (batch, heads, length). output and lse are
    what the forward pass kept, over these keys and perhaps more. causal: no query sees a key that
    comes after it.
    """
    length, head_dim = query.shape[-2:]
    scale = 1 / math.sqrt(head_dim)
    query_positions = torch.arange(length, device=query.device).unsqueeze(-1)  # (length, 1)
    log_sums = lse.unsqueeze(-1)  # (batch, heads, length, 1)
    # One number for each query, before the first tile: what comes below needs no other tile.
    shares = grad_output * output  # (batch, heads, length, value_dim)
    row_sums = shares.sum(dim=-1, keepdim=True)  # (batch, heads, length, 1)
    grad_query = torch.zeros_like(query)  # (batch, heads, length, head_dim)
    key_tiles: list[Tensor] = []
    value_tiles: list[Tensor] = []
    for start in range(0, length, block_size):
        # A tile of keys, of which the last may have fewer.
        keys = key[..., start : start + block_size, :]
        values = value[..., start : start + block_size, :]
        scores = query @ keys.mT * scale
        if causal:
            key_positions = torch.arange(start, start + keys.shape[-2], device=query.device)
            ahead = key_positions > query_positions
            masked_scores = scores.masked_fill(ahead, float("-inf"))
        else:
            masked_scores = scores
        weights = (masked_scores - log_sums).exp()
        tile_grad_value = weights.mT @ grad_output
        grad_weights = grad_output @ values.mT
        grad_scores = weights * (grad_weights - row_sums)
        grad_products = grad_scores * scale
        tile_grad_key = grad_products.mT @ query
        # Every tile moves every query, and its own keys and values alone.
        grad_query = grad_query + grad_products @ keys  # (batch, heads, length, head_dim)
        key_tiles.append(tile_grad_key)
        value_tiles.append(tile_grad_value)
    grad_key = torch.cat(key_tiles, dim=-2)  # (batch, heads, length, head_dim)
    grad_value = torch.cat(value_tiles, dim=-2)  # (batch, heads, length, value_dim)
    return grad_query, grad_key, grad_value
