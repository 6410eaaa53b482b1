from __future__ import annotations

from dataclasses import dataclass, field

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


@dataclass
class AttnConf:
    width: int = 64
    n: int = 4

    @property
    def each(self) -> int:
        return self.width // self.n


@dataclass
class GPTConf:
    words: int
    ctx: int
    depth: int
    att: AttnConf = field(default_factory=AttnConf)
    blowup: int = 4
    eps: float = 1e-5


class Attn(nn.Module):
    def __init__(self, slot: int, conf: AttnConf) -> None:
        super().__init__()
        self.slot, self.conf = slot, conf
        # laid out head by head, and in a head query, key, value
        self.query_key_value = nn.Linear(conf.width, 3 * conf.width)
        self.dense = nn.Linear(conf.width, conf.width)

    def forward(self, x: Tensor, cache: Cache, hidden: Tensor) -> tuple[Tensor, Cache]:
        fused = self.query_key_value(x).unflatten(-1, (self.conf.n, 3 * self.conf.each))
        q, k, v = fused.transpose(1, 2).chunk(3, dim=-1)  # (b, n, t, e)
        cache, k, v = cache.extended(self.slot, k, v)
        att = (q @ k.mT).mul(self.conf.each**-0.5)
        att = att.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.dense((att @ v).transpose(1, 2).flatten(2)), cache


class Layer(nn.Module):
    def __init__(self, slot: int, conf: GPTConf) -> None:
        super().__init__()
        w = conf.att.width
        self.n1, self.n2 = nn.LayerNorm(w, eps=conf.eps), nn.LayerNorm(w, eps=conf.eps)
        self.attn = Attn(slot, conf.att)
        self.mlp = nn.Sequential(nn.Linear(w, conf.blowup * w), nn.GELU(), nn.Linear(conf.blowup * w, w))

    def forward(self, x: Tensor, cache: Cache, hidden: Tensor) -> tuple[Tensor, Cache]:
        y, cache = self.attn(self.n1(x), cache, hidden)
        x = x + y
        return x + self.mlp(self.n2(x)), cache


class CachedGPT(nn.Module):
    def __init__(self, conf: GPTConf) -> None:
        super().__init__()
        self.conf = conf
        self.block_size = conf.ctx
        self.wte = nn.Embedding(conf.words, conf.att.width)
        self.wpe = nn.Embedding(conf.ctx, conf.att.width)
        self.layers = nn.ModuleList(Layer(i, conf) for i in range(conf.depth))
        self.norm = nn.LayerNorm(conf.att.width, eps=conf.eps)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        done = cache.length
        every = torch.arange(done + tokens.size(1), device=tokens.device)
        new = every[done:]
        hidden = every[None, :] > new[:, None]
        x = self.wte(tokens) + self.wpe(new)
        for layer in self.layers:
            x, cache = layer(x, cache, hidden)
        return F.linear(self.norm(x), self.wte.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    was_training = model.training
    model.eval()
    text, fresh, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(fresh, cache)
        fresh = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        text = torch.cat((text, fresh), dim=1)
    model.train(was_training)
    return text
