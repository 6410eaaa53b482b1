from __future__ import annotations

import torch
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


def cut(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(2, (heads, -1)).transpose(1, 2)


def visible(new: int, total: int, device) -> Tensor:
    own = torch.arange(total - new, total, device=device)
    return torch.arange(total, device=device)[None, :] <= own[:, None]


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT * q.shape[-1] ** -0.5
    new, total = scores.shape[-2:]
    scores = scores.masked_fill(~visible(new, total, q.device), -torch.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor, cache: Cache, index: int) -> tuple[Tensor, Cache]:
        h = self.before[0](x)
        cache, k, v = cache.extended(index, cut(self.k(h), self.heads), cut(self.v(h), self.heads))
        x = x + self.o(attend(cut(self.q(h), self.heads), k, v))
        return x + self.mlp(self.before[1](x)), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers) -> None:
        super().__init__()
        self.block_size = block_size
        self.token = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.place = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.last = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache if cache is not None else Cache()
        first = cache.length
        x = self.token[tokens] + self.place[first : first + tokens.shape[1]]
        for index, layer in enumerate(self.layers):
            x, cache = layer(x, cache, index)
        return self.last(x) @ self.token.T, cache


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    pieces, cache = [tokens], None
    with torch.no_grad():
        for _ in range(count):
            logits, cache = model(pieces[-1], cache)
            pieces.append(logits[:, -1:].argmax(-1))
    return torch.cat(pieces, dim=1)
