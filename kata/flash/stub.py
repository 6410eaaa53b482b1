# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Attention over tiles of block_size keys, with a running softmax.

    query, key, value   (batch, heads, length, head_dim), any float dtype
    block_size          how many keys a tile has; need not divide length, may be larger
    causal              no query sees a key after its own position
    returns             (batch, heads, length, head_dim), exact but for rounding

    No tensor on the way may hold more than
    2 * batch * heads * (length + block_size) * max(block_size, head_dim)
    entries, each counted for itself: nothing of length × length, not even a mask. Only the
    forward pass is judged.
    Not to be used: F.scaled_dot_product_attention.
    """
    raise NotImplementedError("write me")
