"""What a FlashAttention kernel does, tile by tile of keys, in torch's words.

Dao 2023, FlashAttention-2, algorithm 1. Triton has tiles of 16, 32, 64 … keys alone, so that the
last one has lanes left over, which are here too. The kernel itself is beside the kata's texts.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def triton_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, causal: bool = False
) -> Tensor:
    """Attend to a tile of keys at a time, each query with a running maximum and sum.

    query, key and value are (heads, length, head_dim) of any float dtype, and so is what
    is returned. causal: no query sees a key that comes after it.
    """
    length, head_dim = query.shape[-2:]
    tile = 64
    wide = torch.promote_types(query.dtype, torch.float32)
    queries = query.to(wide)  # (heads, length, head_dim)
    all_keys = key.to(wide)  # (heads, length, head_dim)
    all_values = value.to(wide)  # (heads, length, head_dim)
    rows = torch.arange(length, device=query.device).unsqueeze(-1)  # (length, 1)
    highest = queries.new_full((*query.shape[:-1], 1), float("-inf"))  # (heads, length, 1)
    total = torch.zeros_like(highest)  # (heads, length, 1)
    gathered = torch.zeros_like(queries)  # (heads, length, head_dim)
    for start in range(0, length, tile):
        left_over = max(0, start + tile - length)
        keys = F.pad(all_keys[..., start : start + tile, :], (0, 0, 0, left_over))
        values = F.pad(all_values[..., start : start + tile, :], (0, 0, 0, left_over))
        products = queries @ keys.mT
        scores = products / math.sqrt(head_dim)
        columns = torch.arange(start, start + tile, device=query.device)
        ahead = columns > rows if causal else columns < 0
        beyond = columns >= length
        shown = scores.masked_fill(ahead | beyond, float("-inf"))
        tile_highest = shown.amax(dim=-1, keepdim=True)  # (heads, length, 1)
        # Every query sees the first key, so that from the first tile on no maximum is -inf.
        new_highest = torch.maximum(highest, tile_highest)  # (heads, length, 1)
        exps = (shown - new_highest).exp()
        rescale = (highest - new_highest).exp()  # (heads, length, 1)
        total = rescale * total + exps.sum(dim=-1, keepdim=True)  # (heads, length, 1)
        gathered = rescale * gathered + exps @ values  # (heads, length, head_dim)
        highest = new_highest
    stored = gathered / total  # (heads, length, head_dim)
    output = stored.to(query.dtype)  # (heads, length, head_dim)
    return output
