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


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.output = nn.Linear(width, width), nn.Linear(width, width)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, u: Tensor, layer: int, cache: Cache) -> tuple[Tensor, Cache]:
        n = u.shape[1]
        rows = cache.length + torch.arange(n, device=u.device)[:, None]
        q = self.split(self.query(u))
        cache, k, v = cache.extended(layer, self.split(self.key(u)), self.split(self.value(u)))
        cols = torch.arange(k.shape[2], device=u.device)
        scores = (q @ k.mT) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(cols > rows, torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1) @ v
        return self.output(mixed.transpose(1, 2).flatten(2)), cache


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention = Attention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        places = torch.arange(cache.length, cache.length + tokens.shape[1], device=tokens.device)
        x = self.token_table(tokens) + self.place_table(places)
        for i, layer in enumerate(self.layers):
            update, cache = layer.attention(layer.norms[0](x), i, cache)
            x = x + update
            x = x + layer.mlp(layer.norms[1](x))
        return self.final(x) @ self.token_table.weight.mT, cache


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    with torch.no_grad():
        cache, step = None, tokens
        for _ in range(count):
            logits, cache = model(step, cache)
            step = logits[:, -1].argmax(-1)[:, None]
            tokens = torch.cat([tokens, step], 1)
    return tokens
