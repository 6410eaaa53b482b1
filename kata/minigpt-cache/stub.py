# attn-kata: minigpt-cache
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is.

    Adding to it makes another cache and leaves this one as it is.
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer.

        key and value are (batch, heads, length, head_dim), of the new positions.
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class CachedGPT(nn.Module):
    """The model of `minigpt`, which continues where an earlier call stopped.

    tokens   (batch, length), the newest ones; the cached and the new are at most block_size
    cache    None at first, then what the call before returned
    returns  logits of the new positions, (batch, length, vocab_size), and a cache

    Token vectors and learned position vectors are added, positions counted on from the cached
    ones. Blocks are pre-norm: causal attention in num_heads heads, an MLP of 4 * hidden_dim with
    exact GELU, LayerNorms with eps 1e-5. One norm before the head, which is the token table. Only
    new positions are given to any layer. A cache that was passed in stays as it is.
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        raise NotImplementedError("write me")


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    """Return the tokens with the `count` likeliest behind them, (batch, length + count).

    model   called as model(tokens, cache), it returns logits and a cache
    tokens  (batch, length), without padding; length + count is at most model.block_size

    In eval mode. No position is given to the model twice.
    """
    raise NotImplementedError("write me")
