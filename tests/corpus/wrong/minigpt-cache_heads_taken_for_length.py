# wrong: minigpt-cache positions-shifted line 89
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


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).flatten(2)


def causal(rows: int, columns: int, device: torch.device) -> Tensor:
    """The last `rows` rows of a lower triangle."""
    return torch.ones(columns, columns, dtype=torch.bool, device=device).tril()[columns - rows :]


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.ln1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ln2 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.w1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.w2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        h = self.ln1(x)
        q, k, v = (split_heads(w(h), self.num_heads) for w in (self.wq, self.wk, self.wv))
        cache, k, v = cache.extended(layer, k, v)
        scores = q.matmul(k.transpose(-1, -2)).div(math.sqrt(q.size(-1)))
        visible = causal(q.size(2), k.size(2), x.device)
        attention = scores.masked_fill(visible.logical_not(), -math.inf).softmax(-1)
        x = x + self.wo(merge_heads(attention.matmul(v)))
        x = x + self.w2(F.gelu(self.w1(self.ln2(x))))
        return x, cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_out = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        past = cache.layers[0][0].size(1) if cache.layers else 0
        places = past + torch.arange(tokens.size(1), device=tokens.device)
        x = self.token_table(tokens) + self.place_table(places)
        for layer, block in enumerate(self.blocks):
            x, cache = block(x, cache, layer)
        return self.ln_out(x).matmul(self.token_table.weight.t()), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    cache: Cache | None = None
    fresh = tokens
    for _ in range(count):
        logits, cache = model(fresh, cache)
        fresh = logits[:, -1:, :].argmax(dim=2)
        tokens = torch.cat((tokens, fresh), dim=1)
    return tokens
