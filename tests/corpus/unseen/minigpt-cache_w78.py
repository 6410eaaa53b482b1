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
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(dim)
        self.before_mlp = nn.LayerNorm(dim)
        self.to_q, self.to_k, self.to_v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.merge = nn.Linear(dim, dim)
        self.expand, self.shrink = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def qkv(self, x: Tensor):
        for proj in (self.to_q, self.to_k, self.to_v):
            yield proj(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        new, total = q.shape[2], k.shape[2]
        future = torch.ones(new, total, dtype=torch.bool, device=q.device).triu(total - new + 1)
        logits = torch.matmul(q, k.mT).div(math.sqrt(q.shape[-1])).masked_fill(future, -torch.inf)
        return self.merge(torch.matmul(logits.softmax(-1), v).transpose(1, 2).flatten(2))

    def mlp(self, x: Tensor) -> Tensor:
        return self.shrink(F.gelu(self.expand(self.before_mlp(x))))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        self.block_size = block_size
        self.token = nn.Embedding(vocab_size, hidden_dim)
        self.place = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.last = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache if cache is not None else Cache()
        first = cache.length
        x = self.token(tokens) + self.place.weight[first : first + tokens.shape[1]]
        for number, layer in enumerate(self.layers):
            q, k, v = layer.qkv(layer.before_attention(x))
            cache, k, v = cache.extended(number, k, v)
            x = x + layer.attend(q, k, v)
            x = x + layer.mlp(x)
        return F.linear(self.last(x), self.token.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    cache = None
    text = tokens
    for _ in range(count):
        logits, cache = model(text, cache)
        following = logits[:, -1].argmax(-1)
        text = torch.cat([text, following[:, None]], dim=-1)
    return text
