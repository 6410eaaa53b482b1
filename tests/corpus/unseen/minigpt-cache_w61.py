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


class Block(nn.Module):
    def __init__(self, index: int, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.index, self.num_heads = index, num_heads
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.c_fc = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.c_out = nn.Linear(4 * hidden_dim, hidden_dim)

    def attn(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        B, T, C = x.shape
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.num_heads, C // self.num_heads).transpose(1, 2) for t in (q, k, v))
        cache, k, v = cache.extended(self.index, k, v)
        att = q @ k.mT / math.sqrt(q.shape[-1])
        if T > 1:  # a single new token sees everything
            causal = torch.ones(T, k.shape[2], dtype=torch.bool, device=x.device).tril()
            att = att.masked_fill(~causal, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C)), cache

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        y, cache = self.attn(self.ln_1(x), cache)
        x = x + y
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList(Block(i, hidden_dim, num_heads) for i in range(num_layers))
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        start = cache.length
        pos = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(pos)
        for block in self.h:
            x, cache = block(x, cache)
        return F.linear(self.ln_f(x), self.wte.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    cache, new = None, tokens
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
