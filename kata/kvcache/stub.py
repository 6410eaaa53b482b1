# attn-kata: kvcache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """Causal multi-head attention that continues where an earlier call stopped.

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads.

    x        (batch, length, hidden_dim): the newest positions, one at least; any float dtype
    cache    None for the first positions of a sequence; then what the call before returned
    returns  (output, cache): output is (batch, length, hidden_dim); the new cache is of any
             kind that you like, and is passed to the next call as it is

    A query sees its own position and all before it, cached ones included. The cache is the
    caller's: nothing is kept on self, and a cache that was given is not changed, since it
    may be continued in two ways. Wanted: an output projection. Fused or separate, one layer
    per head or raw parameters, bias or none: as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
