from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cache:
    """Keys and values of every layer, of all positions so far."""

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class Layer(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.qkv, self.out = nn.Linear(hidden_dim, 3 * hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.up, self.down = nn.Linear(hidden_dim, 4 * hidden_dim), nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, number: int) -> tuple[Tensor, Cache]:
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                   for t in self.qkv(self.norm_1(x)).chunk(3, dim=-1))
        cache, k, v = cache.extended(number, k, v)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        new, total = scores.shape[-2:]
        seen = torch.ones(new, total, dtype=torch.bool, device=x.device).tril(total - new)
        context = scores.masked_fill(~seen, -math.inf).softmax(dim=-1) @ v
        x = x + self.out(context.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokens, self.places = nn.Embedding(vocab_size, hidden_dim), nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        start = cache.length
        x = self.tokens(tokens) + self.places.weight[start : start + tokens.size(1)]
        for number, layer in enumerate(self.layers):
            x, cache = layer(x, cache, number)
        return self.norm(x) @ self.tokens.weight.T, cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    logits, cache = model(tokens, None)
    newest = logits[:, -1].argmax(dim=-1, keepdim=True)
    text = [tokens, newest]
    for _ in range(count - 1):
        logits, cache = model(newest, cache)
        newest = logits[:, -1].argmax(dim=-1, keepdim=True)
        text.append(newest)
    return torch.cat(text, dim=1)
