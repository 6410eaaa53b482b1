# attn-kata: minigpt-cache
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
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor, cache: Cache, layer: int, bias: Tensor | None) -> tuple[Tensor, Cache]:
        qkv = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(layer, k, v)
        s = (q * q.shape[-1] ** -0.5) @ k.mT
        if bias is not None:
            s = s + bias
        x = x + self.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm2(x)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        T = tokens.shape[1]
        if cache is None:  # prefill: the usual triangle
            cache = Cache()
            bias = torch.full((T, T), -math.inf, dtype=self.tok.weight.dtype, device=tokens.device).triu(1)
        else:  # decoding: everything in the cache lies in the past
            bias = None
        start = cache.length
        x = self.tok(tokens) + self.pos.weight[start : start + T]
        for i, block in enumerate(self.blocks):
            x, cache = block(x, cache, i, bias)
        return F.linear(self.norm(x), self.tok.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    B, T = tokens.shape
    text = torch.empty(B, T + count, dtype=tokens.dtype, device=tokens.device)
    text[:, :T] = tokens
    cache, done = None, 0
    for end in range(T, T + count):
        logits, cache = model(text[:, done:end], cache)
        text[:, end] = logits[:, -1].argmax(-1)
        done = end
    return text
