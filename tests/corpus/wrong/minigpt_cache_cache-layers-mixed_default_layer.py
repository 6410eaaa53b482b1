# wrong: minigpt-cache cache-layers-mixed line 77
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
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, layer: int = 0) -> tuple[Tensor, Cache]:
        batch, length, hidden_dim = x.shape
        head_dim = hidden_dim // self.num_heads
        q = self.query(x).reshape(batch, length, self.num_heads, head_dim).transpose(1, 2)
        k = self.key(x).reshape(batch, length, self.num_heads, head_dim).transpose(1, 2)
        v = self.value(x).reshape(batch, length, self.num_heads, head_dim).transpose(1, 2)
        cache, k, v = cache.extended(layer, k, v)
        all_length = k.shape[2]
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(head_dim)
        # new position i may see everything up to all_length - length + i
        mask = torch.zeros(length, all_length, dtype=torch.bool, device=x.device)
        for i in range(length):
            mask[i, all_length - length + i + 1 :] = True
        scores = scores.masked_fill(mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, v)
        context = context.transpose(1, 2).reshape(batch, length, hidden_dim)
        return self.output(context), cache


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attention = Attention(hidden_dim, num_heads)
        self.norm_2 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.linear_1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.linear_2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        a, cache = self.attention(self.norm_1(x), cache)
        x = x + a
        m = self.linear_1(self.norm_2(x))
        m = F.gelu(m)
        m = self.linear_2(m)
        x = x + m
        return x, cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList()
        for _ in range(num_layers):
            self.blocks.append(Block(hidden_dim, num_heads))
        self.norm = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = Cache()
        old_length = cache.length
        positions = torch.arange(tokens.shape[1], device=tokens.device) + old_length
        x = self.token_table(tokens) + self.position_table(positions)
        for layer in range(len(self.blocks)):
            x, cache = self.blocks[layer](x, cache, layer)
        x = self.norm(x)
        logits = torch.matmul(x, self.token_table.weight.transpose(0, 1))
        return logits, cache


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text = tokens
    new = tokens
    cache = None
    with torch.no_grad():
        for _ in range(count):
            logits, cache = model(new, cache)
            new = logits[:, -1].argmax(dim=1).unsqueeze(1)
            text = torch.cat([text, new], dim=1)
    return text
