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
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.up, self.down = nn.Linear(hidden_dim, 4 * hidden_dim), nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, index: int, cache: Cache, past: int) -> tuple[Tensor, Cache]:
        b, n, c = x.shape
        q, k, v = (t.view(b, n, self.num_heads, -1).transpose(1, 2)
                   for t in self.qkv(self.norm_1(x)).chunk(3, dim=-1))
        cache, k, v = cache.extended(index, k, v)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        seen = torch.ones(n, k.shape[2], dtype=torch.bool, device=x.device).tril(past)
        scores = scores.masked_fill(~seen, float("-inf"))
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
        return x + self.down(F.gelu(self.up(self.norm_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        start = cache.length
        places = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.token_table(tokens) + self.place_table(places)
        for i, layer in enumerate(self.layers):
            x, cache = layer(x, i, cache, cache.length)
        return F.linear(self.norm(x), self.token_table.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, new, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1:].argmax(-1)
        text = torch.cat([text, new], dim=1)
    return text
