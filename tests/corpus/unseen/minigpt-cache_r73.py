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


class Layer(nn.Module):
    """A block that knows the next one: calling the first runs them all."""

    def __init__(self, index: int, count: int, c: int, heads: int) -> None:
        super().__init__()
        self.index, self.heads = index, heads
        self.norms = nn.ModuleList([nn.LayerNorm(c), nn.LayerNorm(c)])
        self.inward, self.outward = nn.Linear(c, 3 * c, bias=False), nn.Linear(c, c)
        self.up, self.down = nn.Linear(c, 4 * c), nn.Linear(4 * c, c)
        self.next = Layer(index + 1, count, c, heads) if index + 1 < count else None

    def forward(self, x: Tensor, cache: Cache, seen: Tensor) -> tuple[Tensor, Cache]:
        k, v, q = self.inward(self.norms[0](x)).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(self.index, k, v)
        s = torch.einsum("bhid,bhjd->bhij", q, k) / q.size(-1) ** 0.5
        w = s.masked_fill(seen.logical_not(), float("-inf")).softmax(-1)
        x = x + self.outward((w @ v).permute(0, 2, 1, 3).reshape(x.shape))
        x = x + self.down(F.gelu(self.up(self.norms[1](x))))
        return (x, cache) if self.next is None else self.next(x, cache, seen)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        self.block_size = block_size
        # one table: tokens first, places behind them
        self.table = nn.Embedding(vocab_size + block_size, hidden_dim)
        nn.init.normal_(self.table.weight, std=0.02)
        self.vocab = vocab_size
        self.first = Layer(0, num_layers, hidden_dim, num_heads)
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        place = torch.arange(cache.length, cache.length + tokens.shape[1], device=tokens.device)
        seen = torch.arange(cache.length + tokens.shape[1], device=tokens.device) <= place.unsqueeze(1)
        x = self.table(tokens) + self.table(place + self.vocab)
        x, cache = self.first(x, cache, seen)
        return F.linear(self.norm(x), self.table.weight[: self.vocab]), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, cache, fresh = [tokens], None, tokens
    for _ in range(count):
        logits, cache = model(fresh, cache)
        fresh = logits[:, -1].argmax(-1, keepdim=True).to(tokens.dtype)
        text.append(fresh)
    return torch.cat(text, 1)
