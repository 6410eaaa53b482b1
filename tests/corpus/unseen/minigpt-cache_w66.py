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
        assert hidden_dim % num_heads == 0
        self.heads: int = num_heads
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.q, self.k, self.v = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(3))
        self.o: nn.Linear = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.fc: nn.Linear = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.back: nn.Linear = nn.Linear(4 * hidden_dim, hidden_dim)

    def attend(self, x: Tensor, cache: Cache, i: int) -> tuple[Tensor, Cache]:
        b, t, c = x.shape
        q, k, v = (f(x).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        cache, k, v = cache.extended(i, k, v)
        s: int = k.shape[2]
        assert s >= t
        scores: Tensor = q @ k.transpose(2, 3) / math.sqrt(c // self.heads)
        later: Tensor = torch.ones(t, s, dtype=torch.bool, device=x.device).triu(s - t + 1)
        weights: Tensor = scores.masked_fill(later, -math.inf).softmax(-1)
        return self.o((weights @ v).transpose(1, 2).reshape(b, t, c)), cache

    def forward(self, x: Tensor, cache: Cache, i: int) -> tuple[Tensor, Cache]:
        y, cache = self.attend(self.ln_1(x), cache, i)
        x = x + y
        return x + self.back(F.gelu(self.fc(self.ln_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size: int = block_size
        self.wte: nn.Embedding = nn.Embedding(vocab_size, hidden_dim)
        self.wpe: nn.Embedding = nn.Embedding(block_size, hidden_dim)
        self.h: nn.ModuleList = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.ln_f: nn.LayerNorm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        now: Cache = cache if cache is not None else Cache()
        past, new = now.length, tokens.shape[1]
        assert past + new <= self.block_size
        x: Tensor = self.wte(tokens) + self.wpe.weight[past : past + new]
        for i, block in enumerate(self.h):
            x, now = block(x, now, i)
        assert now.length == past + new
        return F.linear(self.ln_f(x), self.wte.weight), now


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    assert tokens.shape[1] + count <= model.block_size
    if count == 0:
        return tokens
    logits, cache = model(tokens, None)
    model.eval()  # from here on one token at a time
    pieces: list[Tensor] = [tokens]
    for step in range(count):
        pieces.append(logits[:, -1].argmax(dim=-1, keepdim=True))
        if step + 1 < count:
            logits, cache = model(pieces[-1], cache)
    text: Tensor = torch.cat(pieces, dim=1)
    assert text.shape[1] == tokens.shape[1] + count
    return text
