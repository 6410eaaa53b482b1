# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


class OnlineSoftmaxAccumulator:
    """Keeps the three running statistics of the streaming softmax.

    row_max: (B, H, L, 1)   largest score seen so far
    row_sum: (B, H, L, 1)   sum of exponentials relative to row_max
    output:  (B, H, L, D)   unnormalised output relative to row_max
    """

    def __init__(self, batch: int, heads: int, length: int, head_dim: int, like: Tensor) -> None:
        self.row_max = like.new_full((batch, heads, length, 1), float("-inf"))
        self.row_sum = like.new_zeros((batch, heads, length, 1))
        self.output = like.new_zeros((batch, heads, length, head_dim))

    def update(self, scores: Tensor, values: Tensor) -> None:
        """Fold one tile in. scores: (B, H, L, block), values: (B, H, block, D)."""
        assert scores.shape[-1] == values.shape[-2], "tile sizes must agree"
        tile_max = scores.amax(dim=-1, keepdim=True)
        self.row_max = torch.maximum(self.row_max, tile_max)
        probabilities = torch.exp(scores - self.row_max)
        correction = torch.exp(self.row_max - torch.maximum(self.row_max, tile_max))
        self.row_sum = correction * self.row_sum + probabilities.sum(dim=-1, keepdim=True)
        self.output = correction * self.output + probabilities @ values

    def finalize(self) -> Tensor:
        return self.output / self.row_sum


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    # ---- validate inputs -------------------------------------------------
    assert query.dim() == key.dim() == value.dim() == 4, "expected 4-D tensors"
    assert block_size >= 1, "block_size must be positive"
    batch, heads, length, head_dim = query.shape

    # ---- choose an accumulation dtype ------------------------------------
    original_dtype = query.dtype
    compute_dtype = torch.promote_types(original_dtype, torch.float32)
    scaled_query = query.to(compute_dtype) / math.sqrt(head_dim)

    accumulator = OnlineSoftmaxAccumulator(batch, heads, length, head_dim, scaled_query)
    query_positions = torch.arange(length, device=query.device)[:, None]  # (L, 1)

    # ---- stream over the tiles -------------------------------------------
    for start in range(0, length, block_size):
        stop = min(start + block_size, length)
        key_tile = key[:, :, start:stop, :].to(compute_dtype)
        value_tile = value[:, :, start:stop, :].to(compute_dtype)
        scores = scaled_query @ key_tile.transpose(-1, -2)  # (B, H, L, block)
        if causal:
            key_positions = torch.arange(start, stop, device=query.device)[None, :]  # (1, block)
            scores = scores.masked_fill(key_positions > query_positions, float("-inf"))
        accumulator.update(scores, value_tile)

    return accumulator.finalize().to(original_dtype)
