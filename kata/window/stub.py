# attn-kata: window
from __future__ import annotations

import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Sliding-window causal attention: every position sees the newest window positions.

    query, key, value  (batch, heads, length, head_dim), any float dtype
    window             1 or more, also larger than length; the own position counts:
                       query i sees the keys j with i - window < j <= i
    returns            (batch, heads, length, head_dim)

    Not to be used: F.scaled_dot_product_attention, flex attention.
    """
    raise NotImplementedError("write me")
