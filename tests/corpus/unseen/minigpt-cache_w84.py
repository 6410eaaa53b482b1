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


def causal(rows: int, cols: int, offset: int, device) -> Tensor:
    """True where hidden; row i stands at position offset + i"""
    return torch.ones(rows, cols, dtype=torch.bool, device=device).triu(offset + 1)


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, index: int) -> None:
        super().__init__()
        self.index = index
        self.num_heads = num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm_1(x)).view(b, n, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(self.index, k, v)
        past = cache.length - k.shape[2]
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        s = s.masked_fill(causal(n, k.shape[2], past, x.device), float("-inf"))
        x = x + self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
        return x + self.down(F.gelu(self.up(self.norm_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads, i) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        start = cache.length
        places = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(places)
        for block in self.blocks:
            x, cache = block(x, cache)
        return F.linear(self.norm(x), self.wte.weight), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache = None
    step = tokens
    for _ in range(count):
        logits, cache = model(step, cache)
        step = logits[:, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat((tokens, step), dim=1)
    return tokens
