from __future__ import annotations

import torch
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


class PreNormBlock(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def heads(self, layer: nn.Linear, u: Tensor) -> Tensor:
        return layer(u).unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x: Tensor, number: int, cache: Cache) -> tuple[Tensor, Cache]:
        u = self.n1(x)
        query = self.heads(self.q, u)
        cache, key, value = cache.extended(number, self.heads(self.k, u), self.heads(self.v, u))
        scores = query @ key.mT * query.shape[-1] ** -0.5
        new, total = scores.shape[-2:]
        seen = torch.ones(new, total, device=x.device).tril(total - new)
        weights = scores.masked_fill(seen == 0, float("-inf")).softmax(dim=-1)
        x = x + self.o((weights @ value).transpose(1, 2).flatten(2))
        return x + self.mlp(self.n2(x)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.words = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(PreNormBlock(hidden_dim, num_heads) for _ in range(num_layers))
        self.last_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        first, length = cache.length, tokens.shape[1]
        x = self.words(tokens) + self.places.weight[first : first + length]
        for number, block in enumerate(self.blocks):
            x, cache = block(x, number, cache)
        return nn.functional.linear(self.last_norm(x), self.words.weight), cache


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, fed, cache = tokens, tokens, None
    with torch.no_grad():
        for _ in range(count):
            logits, cache = model(fed, cache)
            likeliest = logits[:, -1].argmax(dim=-1)
            fed = text = torch.cat([text, likeliest[:, None]], dim=1)
    return text
