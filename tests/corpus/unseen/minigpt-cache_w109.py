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


class Block(nn.Module):
    def __init__(self, index: int, width: int, heads: int) -> None:
        super().__init__()
        self.index, self.heads = index, heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        batch, new, width = x.shape
        q, k, v = (
            layer(x).view(batch, new, self.heads, -1).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        past = cache.length
        cache, k, v = cache.extended(self.index, k, v)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        rows = torch.arange(past, past + new, device=x.device)
        columns = torch.arange(k.shape[2], device=x.device)
        scores = scores.masked_fill(columns > rows.unsqueeze(1), -math.inf)
        mixed = scores.softmax(dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, new, width)), cache

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        attended, cache = self.attend(self.norm_1(x), cache)
        x = x + attended
        return x + self.down(F.gelu(self.up(self.norm_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(i, hidden_dim, num_heads) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        places = cache.length + torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.places(places)
        for block in self.blocks:
            x, cache = block(x, cache)
        return self.norm(x) @ self.tokens.weight.T, cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    cache, newest = None, tokens
    for _ in range(count):
        logits, cache = model(newest, cache)
        newest = logits[:, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, newest], dim=1)
    return tokens
