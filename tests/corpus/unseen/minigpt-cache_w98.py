from __future__ import annotations

from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu


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
    """One pre-norm block, with (batch, heads, length, head_dim) inside."""

    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.ff1, self.ff2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def heads(self, t):
        return t.unflatten(2, (self.h, -1)).transpose(1, 2)

    def attend(self, q, k, v, first):
        rows = first + torch.arange(q.size(2), device=q.device)[:, None]
        cols = torch.arange(k.size(2), device=q.device)
        s = torch.where(cols <= rows, q @ k.mT * q.size(-1) ** -0.5, -torch.inf)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok, self.pos = nn.Embedding(vocab_size, hidden_dim), nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        cache = cache if cache is not None else Cache()
        first = cache.length
        x = self.tok(tokens) + self.pos.weight[first:first + tokens.size(1)]
        for i, b in enumerate(self.blocks):
            u = b.n1(x)
            k, v = map(b.heads, b.kv(u).chunk(2, -1))
            cache, k, v = cache.extended(i, k, v)
            x = x + b.attend(b.heads(b.q(u)), k, v, first)
            x = x + b.ff2(gelu(b.ff1(b.n2(x))))
        return self.norm(x) @ self.tok.weight.mT, cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()

    def continuation(new, cache=None):
        while True:
            logits, cache = model(new, cache)
            new = logits[:, 0].argmax(-1)[:, None]
            yield new

    return torch.cat([tokens, *islice(continuation(tokens), count)], dim=1)
