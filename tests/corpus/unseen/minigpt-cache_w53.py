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


class DecoderLayer(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.h = heads
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(dim, 2 * dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, i, cache, mask):
        b, n, c = x.shape
        y = self.n1(x)
        q = self.q(y).view(b, n, self.h, c // self.h).permute(0, 2, 1, 3)
        k, v = self.kv(y).view(b, n, 2, self.h, c // self.h).permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(i, k, v)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(c // self.h)
        if mask is not None:
            s = s + mask
        a = torch.einsum("bhqk,bhkd->bqhd", s.softmax(-1), v).reshape(b, n, c)
        x = x + self.o(a)
        return x + self.ff(self.n2(x)), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([DecoderLayer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        n = tokens.shape[1]
        mask = None
        if cache is None:
            # 预填充:需要因果掩码;之后新 token 可以看到全部历史
            cache = Cache()
            mask = torch.full((n, n), float("-inf"), device=tokens.device, dtype=self.pos.weight.dtype)
            mask = mask.triu(1)
        first = cache.length
        x = self.tok(tokens) + self.pos.weight[first : first + n]
        for i, layer in enumerate(self.layers):
            x, cache = layer(x, i, cache, mask)
        return self.final(x) @ self.tok.weight.t(), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache = None
    step = tokens
    for _ in range(count):
        logits, cache = model(step, cache)
        step = logits[:, -1:].argmax(-1)
        tokens = torch.cat([tokens, step], 1)
    return tokens
