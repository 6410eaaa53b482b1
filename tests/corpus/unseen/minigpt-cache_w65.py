# 小さな GPT とキャッシュ。各部品は小さなクラスに分ける。
from __future__ import annotations

import math

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


class Split:
    def __init__(self, heads: int) -> None:
        self.heads = heads

    def __call__(self, t: Tensor) -> Tensor:
        b, n, c = t.shape
        return t.view(b, n, self.heads, c // self.heads).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.split = Split(heads)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.scale = 1 / math.sqrt(dim // heads)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        past = cache.length
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))
        cache, k, v = cache.extended(layer, k, v)
        score = q @ k.transpose(-1, -2) * self.scale
        # 対角線は過去の長さだけ右へずれる
        seen = torch.ones(score.shape[-2:], dtype=torch.bool, device=x.device).tril(past)
        weight = score.masked_fill(~seen, float("-inf")).softmax(dim=-1)
        return self.out((weight @ v).transpose(1, 2).reshape(x.shape)), cache


class Block(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        y, cache = self.attention(self.norm1(x), cache, layer)
        x = x + y
        return x + self.mlp(self.norm2(x)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token = nn.Embedding(vocab_size, hidden_dim)
        self.place = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        start = cache.length
        where = torch.arange(start, start + tokens.size(1), device=tokens.device)
        x = self.token(tokens) + self.place(where)
        for layer, block in enumerate(self.blocks):
            x, cache = block(x, cache, layer)
        return self.norm(x) @ self.token.weight.mT, cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    cache, new = None, tokens
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
