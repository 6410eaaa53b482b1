from __future__ import annotations

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
    def __init__(self, number: int, width: int, heads: int) -> None:
        super().__init__()
        self.number, self.heads = number, heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, y: Tensor) -> Tensor:
        return y.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        u = self.norm_1(x)
        q, new_k, new_v = self.split(self.q(u)), self.split(self.k(u)), self.split(self.v(u))
        cache, k, v = cache.extended(self.number, new_k, new_v)
        t, n = q.shape[2], k.shape[2]
        ahead = torch.ones(t, n, dtype=torch.bool, device=x.device).triu(n - t + 1)
        scores = (q @ k.mT / q.shape[3] ** 0.5).masked_fill(ahead, torch.finfo(q.dtype).min)
        x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(i, hidden_dim, num_heads) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        start = cache.length          # before the blocks add to it
        places = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.token_table(tokens) + self.place_table(places)
        for block in self.blocks:
            x, cache = block(x, cache)
        return self.norm(x) @ self.token_table.weight.T, cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, fresh, cache = [tokens], tokens, None
    for _ in range(count):
        logits, cache = model(fresh, cache)
        fresh = logits[:, -1].argmax(-1, keepdim=True)
        text.append(fresh)
    return torch.cat(text, dim=1)
