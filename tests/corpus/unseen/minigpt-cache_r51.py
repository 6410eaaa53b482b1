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
    def __init__(self, number: int, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.number, self.num_heads = number, num_heads
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_dim, eps=1e-5) for _ in range(2)])
        self.qkv = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) * 0.02)
        self.mix = nn.Linear(hidden_dim, hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def forward(self, x: Tensor, places: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        head_dim = x.shape[-1] // self.num_heads
        q, k, v = torch.einsum("bld,nde->nble", self.norms[0](x), self.qkv).unflatten(
            -1, (self.num_heads, head_dim)
        ).transpose(2, 3)
        cache, k, v = cache.extended(self.number, k, v)
        scores = q @ k.mT * head_dim**-0.5
        later = torch.arange(k.shape[2], device=x.device) > places[:, None]
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        x = x + self.mix((weights @ v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norms[1](x)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.table = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.layers = nn.ModuleList(Layer(i, hidden_dim, num_heads) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        begin = cache.length
        places = begin + torch.arange(tokens.shape[1], device=tokens.device)
        x = self.table(tokens) + self.places[places]
        for layer in self.layers:
            x, cache = layer(x, places, cache)
        return self.norm(x) @ self.table.weight.T, cache


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    was_training = model.training
    model.eval()
    try:
        pieces, cache = [tokens], None
        for _ in range(count):
            logits, cache = model(pieces[-1], cache)
            pieces.append(logits[:, -1:].argmax(dim=2).to(tokens.dtype))
        return torch.cat(pieces, dim=1)
    finally:
        model.train(was_training)
