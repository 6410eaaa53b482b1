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


def normal(*shape: int) -> nn.Parameter:
    return nn.Parameter(0.02 * torch.randn(shape))


def layer_params(width: int, heads: int) -> nn.ParameterDict:
    depth = width // heads
    return nn.ParameterDict(
        dict(
            g1=nn.Parameter(torch.ones(width)), b1=nn.Parameter(torch.zeros(width)),
            wq=normal(width, heads, depth), wk=normal(width, heads, depth),
            wv=normal(width, heads, depth), wo=normal(heads, depth, width),
            g2=nn.Parameter(torch.ones(width)), b2=nn.Parameter(torch.zeros(width)),
            up=normal(width, 4 * width), down=normal(4 * width, width),
        )
    )


def norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], gain, bias, 1e-5)


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The queries are the last ones of the keys' positions."""
    new, total = q.shape[2], k.shape[2]
    place = torch.arange(total, device=q.device)
    ahead = place > place[total - new :, None]
    logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
    return torch.einsum("bhqk,bhkd->bhqd", logits.masked_fill(ahead, -torch.inf).softmax(-1), v)


def layer_step(p: nn.ParameterDict, x: Tensor, past: tuple[Tensor, Tensor] | None):
    h = norm(x, p["g1"], p["b1"])
    q, k, v = (torch.einsum("btm,mhd->bhtd", h, p[name]) for name in ("wq", "wk", "wv"))
    if past is not None:
        k, v = (torch.cat(pair, dim=2) for pair in zip(past, (k, v)))
    x = x + torch.einsum("bhtd,hdm->btm", attend(q, k, v), p["wo"])
    x = x + F.gelu(norm(x, p["g2"], p["b2"]) @ p["up"]) @ p["down"]
    return x, (k, v)


class CachedGPT(nn.Module):
    """The cache is a plain tuple with a (keys, values) pair for every layer."""

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokens = normal(vocab_size, hidden_dim)
        self.places = normal(block_size, hidden_dim)
        self.layers = nn.ModuleList(layer_params(hidden_dim, num_heads) for _ in range(num_layers))
        self.gain = nn.Parameter(torch.ones(hidden_dim))
        self.bias = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, tokens: Tensor, cache=None):
        start = 0 if cache is None else cache[0][0].shape[2]
        pasts = [None] * len(self.layers) if cache is None else cache
        x = self.tokens[tokens] + self.places[start : start + tokens.shape[1]]
        grown = []
        for params, past in zip(self.layers, pasts, strict=True):
            x, pair = layer_step(params, x, past)
            grown.append(pair)
        return torch.einsum("btm,vm->btv", norm(x, self.gain, self.bias), self.tokens), tuple(grown)


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model = model.eval()
    with torch.no_grad():
        columns, cache, newest = [tokens], None, tokens
        for _ in range(count):
            logits, cache = model(newest, cache)
            newest = logits[:, -1].argmax(-1).unsqueeze(1)
            columns.append(newest)
        return torch.cat(columns, 1)
