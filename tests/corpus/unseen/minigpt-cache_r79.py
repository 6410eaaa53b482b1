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


class Layer(nn.Module):
    def __init__(self, index: int, width: int, heads: int) -> None:
        super().__init__()
        self.index, self.heads = index, heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.kv, self.o = nn.Linear(width, width), nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, state: tuple[Tensor, Cache]) -> tuple[Tensor, Cache]:
        x, cache = state
        u = self.norm_1(x)
        k, v = map(self._heads, self.kv(u).chunk(2, dim=-1))
        cache, k, v = cache.extended(self.index, k, v)
        q = self._heads(self.q(u))
        new, all_ = q.shape[2], k.shape[2]
        s = q @ k.mT / math.sqrt(q.shape[-1])
        # the last `new` of all rows of the square triangle
        seen = torch.ones(all_, all_, dtype=torch.bool, device=x.device).tril()[all_ - new :]
        y = torch.where(seen, s, torch.finfo(s.dtype).min).softmax(-1) @ v
        x = x + self.o(y.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm_2(x)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        nn.init.normal_(self.token_table.weight, std=0.02)
        # a Sequential hands (stream, cache) from layer to layer
        self.layers = nn.Sequential(*(Layer(i, hidden_dim, num_heads) for i in range(num_layers)))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        places = cache.length + torch.arange(tokens.shape[1], device=tokens.device)
        stream, cache = self.layers((self.token_table(tokens) + self.place_table(places), cache))
        return F.linear(self.final_norm(stream), self.token_table.weight), cache


def _likeliest(model: nn.Module, fed: Tensor):
    """a generator: gives the likeliest next token, again and again; each position is fed once"""
    cache = None
    while True:
        logits, cache = model(fed, cache)
        fed = logits[:, -1].argmax(dim=-1, keepdim=True).to(fed.dtype)
        yield fed


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    return torch.cat([tokens, *(t for _, t in zip(range(count), _likeliest(model, tokens)))], dim=1)
