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


class CachedGPT(nn.Module):
    """All parameters are here, stacked over the layers; the layers are a loop."""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        E, L, H = hidden_dim, num_layers, num_heads
        self.block_size = block_size
        small = lambda *s: nn.Parameter(torch.randn(*s) * 0.02)
        self.tok, self.pos = small(vocab_size, E), small(block_size, E)
        self.wq, self.wk, self.wv, self.wo = (small(L, H, E // H, E) for _ in range(4))
        self.up, self.down = small(L, 4 * E, E), small(L, E, 4 * E)
        self.ln = nn.ModuleList(nn.LayerNorm(E) for _ in range(2 * L + 1))

    def forward(self, tokens, cache=None):
        cache = Cache() if cache is None else cache
        past = cache.length
        n = tokens.shape[1]
        x = F.embedding(tokens, self.tok) + self.pos[past : past + n]
        seen = torch.ones(n, past + n, dtype=torch.bool, device=x.device).tril(past)
        for l in range(len(self.wq)):
            u = self.ln[2 * l](x)
            q, k, v = (torch.einsum("bte,hde->bhtd", u, w[l]) for w in (self.wq, self.wk, self.wv))
            cache, k, v = cache.extended(l, k, v)
            s = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.size(-1))
            w = torch.where(seen, s, -torch.inf).softmax(-1)
            x = x + torch.einsum("bhts,bhsd,hde->bte", w, v, self.wo[l])
            x = x + F.linear(F.gelu(F.linear(self.ln[2 * l + 1](x), self.up[l])), self.down[l])
        return F.linear(self.ln[-1](x), self.tok), cache


def generate(model, tokens, count):
    was_training = model.training
    model.eval()
    pieces = [tokens]
    try:
        with torch.inference_mode():
            cache = None
            while len(pieces) <= count:
                logits, cache = model(pieces[-1], cache)
                pieces.append(logits[:, -1].topk(1, dim=-1).indices)
    finally:
        model.train(was_training)
    return torch.cat(pieces, dim=1)
