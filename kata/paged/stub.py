# attn-kata: paged
from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """Decoding over a paged cache: one new token of each sequence attends to all of its tokens.

    query       (batch, heads, head_dim), any float dtype
    key_pool    (num_blocks, block_size, kv_heads, head_dim), and value_pool likewise: blocks of
                all sequences, in any order
    block_table (batch, max_blocks), whole numbers: the numbers of a sequence's blocks, in the
                order of its tokens; entries behind its last block may name any block
    lengths     (batch,), whole numbers from 1 to max_blocks * block_size: how many tokens a
                sequence has, the newest with them
    returns     (batch, heads, head_dim)

    Token t of a sequence lies in the block of entry t // block_size, at place t % block_size.
    kv_heads divides heads; query heads side by side share a key and value head. Scores are
    divided by √head_dim. Two sequences may share blocks.

    Not to be used: F.scaled_dot_product_attention. Only the forward pass is judged.
    """
    raise NotImplementedError("write me")
