# attn-kata: attention-module
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    """Multi-head attention with the interface of nn.MultiheadAttention, batch first.

    head_dim is embed_dim // num_heads; embed_dim is a multiple of num_heads.

    query                 (batch, target, embed_dim)
    key, value            (batch, source, embed_dim)
    key_padding_mask      (batch, source), bool: True where a key is padding, and no query of
                          that sample may attend to it
    need_weights          whether the weights are returned
    attn_mask             (target, source), the same for all samples and heads, or
                          (batch * num_heads, target, source), where entry b * num_heads + h is
                          that of sample b and head h; bool: True where a query may not attend,
                          or floats in the inputs' dtype: added to the scores
    average_attn_weights  whether the weights that are returned are averaged over the heads
    returns               (output, weights): output is (batch, target, embed_dim); weights are
                          (batch, target, source) where averaged, else (batch, num_heads, target,
                          source), and None where need_weights is False

    Both masks may be given at once: what either hides is hidden. Scores are divided by
    √head_dim. A row with nothing to attend to may come out as you like.
    Wanted: an output projection. Fused or separate, one layer per head or raw parameters, bias
    or none: as you like. dropout is the rate on the weights.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention,
    F.multi_head_attention_forward.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        raise NotImplementedError("write me")
