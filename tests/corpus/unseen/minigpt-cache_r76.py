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


class Layer(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, *, index: int) -> None:
        super().__init__()
        self.index, self.num_heads = index, num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.qkv, self.out = nn.Linear(hidden_dim, 3 * hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.up, self.down = nn.Linear(hidden_dim, 4 * hidden_dim), nn.Linear(4 * hidden_dim, hidden_dim)

    def attend(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        q, k, v = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        cache, keys, values = cache.extended(self.index, k, v)
        scores = q @ keys.mT / math.sqrt(q.shape[-1])
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device)
        later = later.triu(1 + keys.shape[2] - q.shape[2])
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        return self.out((weights @ values).transpose(1, 2).flatten(2)), cache

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        attention, cache = self.attend(self.norm_1(x), cache)
        x = x + attention
        return x + self.down(F.gelu(self.up(self.norm_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads, index=i) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def embed(self, tokens: Tensor, start: int) -> Tensor:
        assert (end := start + tokens.shape[1]) <= self.block_size, f"{end} positions are too many"
        return self.tokens(tokens) + self.places(torch.arange(start, end, device=tokens.device))

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        x = self.embed(tokens, cache.length)
        for layer in self.layers:
            x, cache = layer(x, cache)
        return F.linear(self.norm(x), self.tokens.weight), cache


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, newest, cache = tokens, tokens, None
    while count > 0:
        logits, cache = model(newest, cache)
        newest = logits[:, -1:].argmax(dim=-1)
        text, count = torch.cat([text, newest], dim=1), count - 1
    return text
