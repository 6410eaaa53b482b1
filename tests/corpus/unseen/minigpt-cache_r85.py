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
    def __init__(self, number: int, width: int, heads: int) -> None:
        super().__init__()
        self.number, self.heads = number, heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        q, k, v = self.qkv(self.norm_1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(self.number, k, v)
        past = k.shape[2] - q.shape[2]
        scores = q @ k.mT / q.shape[-1] ** 0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(past + 1)
        context = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        x = x + self.merge(context.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm_2(x)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(i, hidden_dim, num_heads) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        places = torch.arange(tokens.shape[1], device=tokens.device) + cache.length
        x = self.token_table(tokens) + self.place_table(places)
        for layer in self.layers:
            x, cache = layer(x, cache)
        return F.linear(self.norm(x), self.token_table.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    pieces, cache = [tokens], None
    for _ in range(count):
        logits, cache = model(pieces[-1], cache)
        pieces.append(logits[:, -1].argmax(dim=-1, keepdim=True))
    return torch.cat(pieces, dim=1)
