# attn-kata: mla-absorbed
from __future__ import annotations

import math

import torch
from torch import Tensor


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    """What is cached for new positions: the latent, and behind it the rotary key, rotated.

    latent     (batch, length, latent_dim), any float dtype
    key_rope   (batch, length, rope_dim), not yet rotated; all heads share it
    positions  (batch, length), whole numbers
    returns    (batch, length, latent_dim + rope_dim)

    Rotary embedding rotates the pairs (i, i + rope_dim/2) by position · 10000^(-2i/rope_dim).
    """
    raise NotImplementedError("write me")


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    """Causal attention of the newest positions, over the cached latents themselves.

    query_content  (batch, heads, query_length, head_dim), any float dtype
    query_rope     (batch, heads, query_length, rope_dim), not yet rotated
    cache          (batch, key_length, latent_dim + rope_dim), from cache_entries
    lengths        (batch,), from query_length to key_length: how many entries a sequence has. Its
                   queries stand at the last of these positions; what lies behind is nobody's
    kv_up          (heads * 2 * head_dim, latent_dim), as a Linear holds it: for each head the
                   rows that make its content key, then those that make its value
    returns        (batch, heads, query_length, head_dim): what keys and values made from the
                   latents would give

    Scores are divided by √(head_dim + rope_dim). No key and no value is made on the way: no tensor
    has both key_length and head_dim among its axes, and none holds more than 2 · batch ·
    key_length · (latent_dim + rope_dim) numbers.
    Not to be used: F.scaled_dot_product_attention. Only the forward pass is judged.
    """
    raise NotImplementedError("write me")
