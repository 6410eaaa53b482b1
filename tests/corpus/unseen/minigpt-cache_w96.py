from __future__ import annotations

import math

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


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def split(self, t: Tensor) -> Tensor:
        batch, length, _ = t.shape
        return t.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        batch, length, width = x.shape
        normed = self.attention_norm(x)
        query = self.split(self.query(normed))
        past = cache.length
        cache, key, value = cache.extended(self.layer, self.split(self.key(normed)), self.split(self.value(normed)))
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        allowed = torch.ones(length, key.shape[2], dtype=torch.bool, device=x.device).tril(past)
        scores = scores.masked_fill(~allowed, float("-inf"))
        context = torch.softmax(scores, dim=-1) @ value
        x = x + self.output(context.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.mlp_norm(x)), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads, layer) for layer in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = Cache()
        start = cache.length
        positions = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        for block in self.blocks:
            x, cache = block(x, cache)
        return self.final_norm(x) @ self.token_embedding.weight.T, cache


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    with torch.no_grad():
        cache = None
        fresh = tokens
        for _ in range(count):
            logits, cache = model(fresh, cache)
            fresh = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, fresh], dim=1)
    return tokens
