# attn-kata: rope
from __future__ import annotations

import torch
from torch import Tensor


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Rotary position embedding on the pairs (i, i + head_dim/2), as in GPT-NeoX.

    x          (batch, heads, length, head_dim), any float dtype; head_dim is even
    positions  (length,), int64, on x's device; they need not begin at 0
    base       pair i at position p is rotated by p · base^(-2i/head_dim), in radians:
               (a, b) becomes (a·cos − b·sin, b·cos + a·sin)
    returns    x's shape; every number stays where it was, only rotated

    Angles, cosines and sines are made in float32 or wider, whatever x's dtype; after that
    cosines and sines may be cast to it.
    """
    raise NotImplementedError("write me")


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Rotary position embedding on the pairs (2i, 2i + 1), as in the paper and GPT-J.

    All else as above; the result has its pairs side by side as well.
    """
    raise NotImplementedError("write me")
