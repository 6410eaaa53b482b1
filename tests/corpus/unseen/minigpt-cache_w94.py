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
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, u: Tensor, cache: Cache, index: int) -> tuple[Tensor, Cache]:
        q, k, v = self.qkv(u).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(index, k, v)
        new, total = q.shape[2], k.shape[2]
        late = torch.ones(new, total, dtype=torch.bool, device=u.device).triu(total - new + 1)
        scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(late, -math.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)), cache

    def forward(self, x: Tensor, cache: Cache, index: int) -> tuple[Tensor, Cache]:
        attended, cache = self.attend(self.norm_1(x), cache, index)
        x = x + attended
        return x + self.down(F.gelu(self.up(self.norm_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = cache if cache is not None else Cache()
        first = past.length
        places = torch.arange(first, first + tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.places(places)
        for index, layer in enumerate(self.layers):
            x, grown = layer(x, past, index)
        return F.linear(self.norm(x), self.tokens.weight), grown


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, new, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1:].argmax(dim=-1)
        text = torch.cat([text, new], dim=1)
    return text
