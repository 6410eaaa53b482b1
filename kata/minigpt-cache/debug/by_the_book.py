from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is."""

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        queries = self.split(self.query(x))
        new_keys = self.split(self.key(x))
        new_values = self.split(self.value(x))
        cache, keys, values = cache.extended(layer, new_keys, new_values)
        length, total = queries.shape[2], keys.shape[2]
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(self.head_dim)
        visible = torch.ones(length, total, device=x.device).tril(diagonal=total - length)
        scores = scores.masked_fill(visible == 0, float("-inf"))
        weights = scores.softmax(dim=-1)
        merged = (weights @ values).transpose(1, 2).flatten(2)
        return self.output(merged), cache


class Layer(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(hidden_dim)
        self.attention = CachedAttention(hidden_dim, num_heads)
        self.norm2 = nn.LayerNorm(hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        attended, cache = self.attention(self.norm1(x), cache, layer)
        x = x + attended
        return x + self.down(F.gelu(self.up(self.norm2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = Cache() if cache is None else cache
        start = past.length
        positions = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.token_table(tokens) + self.position_table(positions)
        for number, layer in enumerate(self.layers):
            x, past = layer(x, past, number)
        x = self.final_norm(x)
        return x @ self.token_table.weight.T, past


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, fed, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(fed, cache)
        newest = logits[:, -1].argmax(dim=-1, keepdim=True)
        text = torch.cat([text, newest], dim=1)
        fed = newest
    return text
