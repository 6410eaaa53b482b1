from __future__ import annotations

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


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size, self.h = block_size, num_heads
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.stack = nn.ModuleList(self._layer(hidden_dim) for _ in range(num_layers))
        self.ln_f = nn.LayerNorm(hidden_dim)

    @staticmethod
    def _layer(c):
        return nn.ModuleDict(
            {
                "ln_1": nn.LayerNorm(c), "q": nn.Linear(c, c), "k": nn.Linear(c, c),
                "v": nn.Linear(c, c), "o": nn.Linear(c, c), "ln_2": nn.LayerNorm(c),
                "fc": nn.Linear(c, 4 * c), "act": nn.GELU(approximate="tanh"),
                "proj": nn.Linear(4 * c, c),
            }
        )

    def forward(self, tokens, cache=None):
        B, T = tokens.shape
        cache = Cache() if cache is None else cache
        start = cache.length
        spots = torch.arange(start, start + T, device=tokens.device)
        x = self.wte(tokens) + self.wpe(spots)
        seen = spots[:, None] >= torch.arange(start + T, device=tokens.device)
        for n, m in enumerate(self.stack):
            u = m["ln_1"](x)
            q, k, v = (m[w](u).view(B, T, self.h, -1).transpose(1, 2) for w in "qkv")
            cache, k, v = cache.extended(n, k, v)
            a = torch.einsum("bhtd,bhsd->bhts", q, k) * q.shape[-1] ** -0.5
            a = torch.where(seen, a, torch.finfo(a.dtype).min).softmax(-1)
            x = x + m["o"](torch.einsum("bhts,bhsd->bthd", a, v).reshape(B, T, -1))
            x = x + m["proj"](m["act"](m["fc"](m["ln_2"](x))))
        return self.ln_f(x) @ self.wte.weight.T, cache


def generate(model, tokens, count):
    model.eval()
    pieces, step, cache = [tokens], tokens, None
    with torch.no_grad():
        for _ in range(count):
            logits, cache = model(step, cache)
            step = logits[:, -1].argmax(-1).unsqueeze(1)
            pieces.append(step)
    return torch.cat(pieces, 1)
