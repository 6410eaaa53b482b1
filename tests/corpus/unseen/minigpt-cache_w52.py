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


class Attention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, layer: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.layer = layer
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Cache, start: int) -> Tensor:
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        longer, key, value = cache.extended(self.layer, key, value)
        cache.layers = longer.layers
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        rows = start + torch.arange(query.shape[2], device=x.device)
        columns = torch.arange(key.shape[2], device=x.device)
        scores = scores.masked_fill(columns > rows[:, None], torch.finfo(scores.dtype).min)
        return self.output((scores.softmax(-1) @ value).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, layer: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(hidden_dim)
        self.attention = Attention(hidden_dim, num_heads, layer)
        self.norm2 = nn.LayerNorm(hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, start: int) -> Tensor:
        x = x + self.attention(self.norm1(x), cache, start)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads, i) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = Cache()
        start = cache.length
        places = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(places)
        for block in self.blocks:
            x = block(x, cache, start)
        return self.head(self.norm(x)), cache


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, fresh, cache = tokens, tokens, None
    with torch.no_grad():
        for _ in range(count):
            logits, cache = model(fresh, cache)
            fresh = logits[:, -1, :].argmax(dim=-1).unsqueeze(1)
            text = torch.cat((text, fresh), dim=1)
    return text
