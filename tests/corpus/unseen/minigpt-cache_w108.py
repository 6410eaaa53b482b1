from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


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


class CachedAttention(nn.Module):
    """Multi-head attention over cached and new positions."""

    def __init__(self, hidden_dim, num_heads, layer=0):
        super().__init__()
        self.layer = layer
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def split(self, x):
        batch, length, width = x.shape
        return x.view(batch, length, self.num_heads, width // self.num_heads).permute(0, 2, 1, 3)

    def forward(self, x, cache):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        cache, key, value = cache.extended(self.layer, key, value)
        scores = torch.matmul(query, key.transpose(2, 3)) / query.shape[3] ** 0.5
        offset = key.shape[2] - query.shape[2]
        future = torch.ones(scores.shape[2:], dtype=torch.bool, device=x.device).triu(offset + 1)
        weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=3)
        context = torch.matmul(weights, value).permute(0, 2, 1, 3).flatten(2)
        return self.output(context), cache


class Block(nn.Module):
    def __init__(self, hidden_dim, num_heads, layer=0):
        super().__init__()
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.attention = CachedAttention(hidden_dim, num_heads, layer)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x, cache):
        attended, cache = self.attention(self.attention_norm(x), cache)
        x = x + attended
        return x + self.down(F.gelu(self.up(self.mlp_norm(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for layer in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = Cache()
        places = cache.length + torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(places)
        for block in self.blocks:
            x, cache = block(x, cache)
        logits = self.final_norm(x) @ self.token_embedding.weight.T
        return logits, cache


def generate(model, tokens, count):
    model.eval()
    pieces = [tokens]
    cache = None
    with torch.no_grad():
        while len(pieces) <= count:
            logits, cache = model(pieces[-1], cache)
            pieces.append(logits[:, -1:].argmax(dim=-1))
    return torch.cat(pieces, dim=1)
