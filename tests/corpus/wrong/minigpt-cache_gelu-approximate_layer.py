# wrong: minigpt-cache gelu-approximate line 69
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
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer."""
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
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        B, T, C = x.shape
        q, k, v = (
            layer(x).view(B, T, self.num_heads, -1).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        cache, k, v = cache.extended(self.layer, k, v)
        past = k.shape[2] - T
        scores = q @ k.transpose(-2, -1) / math.sqrt(C // self.num_heads)
        future = torch.ones(T, k.shape[2], dtype=torch.bool, device=x.device).triu(past + 1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        return self.o((weights @ v).transpose(1, 2).reshape(B, T, C)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.attentions = nn.ModuleList(
            Attention(hidden_dim, num_heads, layer) for layer in range(num_layers)
        )
        self.mlps = nn.ModuleList(
            nn.Sequential(
                nn.Linear(hidden_dim, 4 * hidden_dim),
                nn.GELU(approximate="tanh"),
                nn.Linear(4 * hidden_dim, hidden_dim),
            )
            for _ in range(num_layers)
        )
        self.norm1 = nn.ModuleList(nn.LayerNorm(hidden_dim) for _ in range(num_layers))
        self.norm2 = nn.ModuleList(nn.LayerNorm(hidden_dim) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        begin = cache.length
        places = torch.arange(begin, begin + tokens.shape[1], device=tokens.device)
        x = self.tok(tokens) + self.pos(places)
        for attention, mlp, norm1, norm2 in zip(
            self.attentions, self.mlps, self.norm1, self.norm2
        ):
            attended, cache = attention(norm1(x), cache)
            x = x + attended
            x = x + mlp(norm2(x))
        return F.linear(self.final_norm(x), self.tok.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    logits, cache = model(tokens)
    for step in range(count):
        new = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
        if step + 1 < count:
            logits, cache = model(new, cache)
    return tokens
