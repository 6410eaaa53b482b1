from __future__ import annotations

import torch, torch.nn as nn, torch.nn.functional as F
from torch import Tensor

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


heads = lambda t, h: t.unflatten(-1, (h, -1)).transpose(1, 2)
merge = lambda t: t.transpose(1, 2).flatten(2)
lin = lambda i, o: nn.Linear(i, o, bias=False)
past_only = lambda s: s.masked_fill(~torch.ones_like(s[0, 0], dtype=torch.bool).tril(), -torch.inf)
attend = lambda q, k, v: past_only(q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


class Blk(nn.Module):
    def __init__(self, d, h, i):
        super().__init__()
        self.h, self.i = h, i
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (lin(d, d) for _ in range(4))
        self.ff = nn.Sequential(lin(d, 4 * d), nn.GELU(), lin(4 * d, d))

    def forward(self, x, c):
        n = self.n1(x)
        c, k, v = c.extended(self.i, heads(self.k(n), self.h), heads(self.v(n), self.h))
        x = x + self.o(merge(attend(heads(self.q(n), self.h), k, v)))
        return x + self.ff(self.n2(x)), c


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok, self.pos = nn.Embedding(vocab_size, hidden_dim), nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Blk(hidden_dim, num_heads, i) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)
        [nn.init.normal_(e.weight, std=0.02) for e in (self.tok, self.pos)]

    def forward(self, tokens, cache=None):
        c = cache or Cache()
        x = self.tok(tokens) + self.pos.weight[c.length:][:tokens.shape[1]]
        for b in self.blocks: x, c = b(x, c)
        return self.norm(x) @ self.tok.weight.mT, c


@torch.no_grad()
def generate(model, tokens, count):
    (model.eval(), new := tokens, c := None)
    for _ in range(count):
        y, c = model(new, c)
        tokens = torch.cat([tokens, new := y[:, -1:].argmax(-1)], 1)
    return tokens
