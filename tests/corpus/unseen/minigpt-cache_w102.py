from __future__ import annotations

from typing import Iterator, Optional

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


class CachedGPT(nn.Module):
    """Everything in one class: the parts of layer i are the i-th of each list."""

    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        self.block_size, self.num_heads, self.num_layers = block_size, num_heads, num_layers
        self.tokens = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        each = lambda make: nn.ModuleList(make() for _ in range(num_layers))
        self.first_norms = each(lambda: nn.LayerNorm(hidden_dim))
        self.second_norms = each(lambda: nn.LayerNorm(hidden_dim))
        self.qkv = each(lambda: nn.Linear(hidden_dim, 3 * hidden_dim, bias=False))
        self.merges = each(lambda: nn.Linear(hidden_dim, hidden_dim, bias=False))
        self.ups = each(lambda: nn.Linear(hidden_dim, 4 * hidden_dim))
        self.downs = each(lambda: nn.Linear(4 * hidden_dim, hidden_dim))
        self.last_norm = nn.LayerNorm(hidden_dim)

    def attend(self, i: int, x: Tensor, cache: Cache, hidden: Tensor) -> tuple[Tensor, Cache]:
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.qkv[i](x).chunk(3, -1))
        cache, k, v = cache.extended(i, k, v)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.size(-1) ** -0.5
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        return self.merges[i](torch.einsum("bhqk,bhkd->bqhd", weights, v).flatten(2)), cache

    def forward(self, tokens: Tensor, cache: Optional[Cache] = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        start, stop = cache.length, cache.length + tokens.size(1)
        steps = torch.arange(stop, device=tokens.device)
        hidden = steps > steps[start:, None]
        x = self.tokens[tokens] + self.places[start:stop]
        for i in range(self.num_layers):
            attended, cache = self.attend(i, self.first_norms[i](x), cache, hidden)
            x = x + attended
            x = x + self.downs[i](F.gelu(self.ups[i](self.second_norms[i](x))))
        return self.last_norm(x) @ self.tokens.T, cache


def stream(model: nn.Module, tokens: Tensor) -> Iterator[Tensor]:
    """Yield one column of tokens after another, without end."""
    cache = None
    while True:
        logits, cache = model(tokens, cache)
        tokens = logits[:, :1].argmax(dim=-1)
        yield tokens


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    new = [column for _, column in zip(range(count), stream(model, tokens))]
    return torch.cat([tokens, *new], dim=1)
