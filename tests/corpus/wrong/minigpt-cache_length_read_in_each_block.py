# wrong: minigpt-cache cache-read-too-late line 59
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
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def split(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, cache: Cache, index: int) -> tuple[Tensor, Cache]:
        batch, length, hidden_dim = x.shape
        # how many positions are there already?
        past = cache.length

        h = self.norm_1(x)
        query = self.split(self.query(h))
        key = self.split(self.key(h))
        value = self.split(self.value(h))
        cache, key, value = cache.extended(index, key, value)

        # query i stands at past + i and sees everything up to there
        seen = torch.ones(length, key.shape[2], dtype=torch.bool, device=x.device).tril(diagonal=past)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(~seen, float("-inf"))
        context = scores.softmax(dim=-1) @ value
        merged = context.transpose(1, 2).reshape(batch, length, hidden_dim)

        x = x + self.output(merged)
        x = x + self.down(F.gelu(self.up(self.norm_2(x))))
        return x, cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = Cache()
        length = tokens.shape[1]
        positions = cache.length + torch.arange(length, device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        for index, block in enumerate(self.blocks):
            x, cache = block(x, cache, index)
        logits = F.linear(self.final_norm(x), self.token_embedding.weight)
        return logits, cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text = tokens
    cache = None
    newest = tokens
    for _ in range(count):
        logits, cache = model(newest, cache)
        newest = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        text = torch.cat([text, newest], dim=1)
    return text
