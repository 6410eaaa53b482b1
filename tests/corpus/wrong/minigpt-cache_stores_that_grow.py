# wrong: minigpt-cache cache-changed-in-place line 49
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


class LayerCache:
    """Keys and values of one layer."""

    def __init__(self) -> None:
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    def update(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        if self.key is not None:
            key = torch.cat((self.key, key), dim=-2)
            value = torch.cat((self.value, value), dim=-2)
        self.key, self.value = key, value
        return key, value

    @property
    def length(self) -> int:
        return 0 if self.key is None else self.key.shape[-2]


class Attention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, store: LayerCache) -> Tensor:
        past = store.length
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        key, value = store.update(key, value)
        rows = torch.arange(past, past + x.shape[1], device=x.device)
        columns = torch.arange(key.shape[-2], device=x.device)
        scores = query @ key.mT * query.shape[-1] ** -0.5
        scores = torch.where(columns <= rows[:, None], scores, torch.finfo(scores.dtype).min)
        return self.out((scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.attention = Attention(hidden_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.LayerNorm(hidden_dim),
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def forward(self, x: Tensor, store: LayerCache) -> Tensor:
        x = x + self.attention(self.attention_norm(x), store)
        return x + self.mlp(x)


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(
        self, tokens: Tensor, cache: list[LayerCache] | None = None
    ) -> tuple[Tensor, list[LayerCache]]:
        stores = [LayerCache() for _ in self.blocks] if cache is None else list(cache)
        past = stores[0].length
        places = torch.arange(past, past + tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(places)
        for block, store in zip(self.blocks, stores):
            x = block(x, store)
        return F.linear(self.norm(x), self.token_embedding.weight), stores


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    pieces = [tokens]
    cache = None
    for _ in range(count):
        logits, cache = model(pieces[-1], cache)
        pieces.append(logits[:, -1].argmax(dim=-1, keepdim=True))
    return torch.cat(pieces, dim=1)
