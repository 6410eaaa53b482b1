# right: minigpt-cache
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


class Affine(nn.Module):
    """[x, 1] times one matrix: the bias is its last row."""

    def __init__(self, n, m):
        super().__init__()
        self.theta = nn.Parameter(torch.cat([torch.randn(n, m) / math.sqrt(n), torch.zeros(1, m)]))

    def forward(self, x):
        return torch.cat([x, x.new_ones(*x.shape[:-1], 1)], dim=-1) @ self.theta


class CachedGPT(nn.Module):
    """By role first, by layer second."""

    ROLES = {"q": (1, 1), "k": (1, 1), "v": (1, 1), "o": (1, 1), "u": (1, 4), "d": (4, 1)}

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size, self.n, self.heads = block_size, num_layers, num_heads
        for name, (a, b) in self.ROLES.items():
            fleet = nn.ModuleList([Affine(a * hidden_dim, b * hidden_dim) for _ in range(num_layers)])
            self.add_module(name, fleet)
        self.norms = nn.ModuleDict(
            {n: nn.ModuleList([nn.LayerNorm(hidden_dim) for _ in range(c)])
             for n, c in (("a", num_layers), ("b", num_layers), ("c", 1))}
        )
        self.e = nn.Embedding(vocab_size, hidden_dim)
        self.p = nn.Embedding(block_size, hidden_dim)
        nn.init.normal_(self.e.weight, 0, 0.02)
        nn.init.normal_(self.p.weight, 0, 0.02)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = Cache()
        b, t = tokens.shape
        done = cache.length
        x = self.e(tokens) + self.p.weight[done : done + t]
        hide = torch.full((t, done + t), -math.inf, device=x.device, dtype=x.dtype).triu(done + 1)
        for i in range(self.n):
            y = self.norms["a"][i](x)
            q, k, v = (f[i](y).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
            cache, k, v = cache.extended(i, k, v)
            w = F.softmax(q @ k.mT / math.sqrt(q.shape[-1]) + hide, dim=-1)
            x = x + self.o[i]((w @ v).transpose(1, 2).reshape(b, t, -1))
            x = x + self.d[i](F.gelu(self.u[i](self.norms["b"][i](x))))
        return F.linear(self.norms["c"][0](x), self.e.weight), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    if count == 0:
        return tokens
    logits, cache = model(tokens, None)
    tail = [logits[:, -1].argmax(-1)]
    while len(tail) < count:
        logits, cache = model(tail[-1][:, None], cache)
        tail.append(logits[:, -1].argmax(-1))
    return torch.cat([tokens, torch.stack(tail, dim=1)], dim=1)
