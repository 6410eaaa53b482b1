from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


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


class Session:
    """The cache of one call, which the layers hand on to each other; a call makes its own."""

    def __init__(self, cache: Cache | None) -> None:
        self.cache = Cache() if cache is None else cache
        self.past = self.cache.length

    def remember(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        self.cache, keys, values = self.cache.extended(layer, key, value)
        return keys, values


class Layer(nn.Module):
    def __init__(self, number: int, width: int, num_heads: int) -> None:
        super().__init__()
        self.number, self.num_heads = number, num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.merge = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

    def attention(self, x: Tensor, session: Session) -> Tensor:
        q, k, v = (self._heads(layer(x)) for layer in (self.query, self.key, self.value))
        keys, values = session.remember(self.number, k, v)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, keys) / q.shape[-1] ** 0.5
        new = x.shape[1]
        if new > 1:
            seen = torch.ones(new, session.past + new, dtype=torch.bool, device=x.device).tril(session.past)
            scores = scores.masked_fill(~seen, float("-inf"))
        mixed = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(dim=-1), values)
        return self.merge(mixed.flatten(2))

    def forward(self, x: Tensor, session: Session) -> Tensor:
        x = x + self.attention(self.norm_1(x), session)
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.layers = nn.ModuleList(Layer(i, hidden_dim, num_heads) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        session = Session(cache)
        places = self.places.narrow(0, session.past, tokens.shape[1])
        x = F.embedding(tokens, self.tokens) + places
        for layer in self.layers:
            x = layer(x, session)
        return F.linear(self.norm(x), self.tokens), session.cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    was_training = model.training
    model.eval()
    pieces, cache = [tokens], None
    for _ in range(count):
        logits, cache = model(pieces[-1], cache)  # only what the model has not seen yet
        pieces.append(logits[:, -1:].argmax(dim=-1).to(tokens.dtype))
    model.train(was_training)
    return torch.cat(pieces, dim=1)
