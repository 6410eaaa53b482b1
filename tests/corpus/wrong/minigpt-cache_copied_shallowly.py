# wrong: minigpt-cache cache-changed-in-place line 57
# fair: cache-changed-in-place 47 49 55 57
# attn-kata: minigpt-cache
from __future__ import annotations

import copy
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


class KVArena:
    """Our own cache: one slot of keys and values per layer, written by the layers in turn."""

    def __init__(self, num_layers: int) -> None:
        self.length = 0
        self.slots: list[tuple[Tensor, Tensor] | None] = [None] * num_layers

    def fork(self) -> KVArena:
        """调用方手里的 cache 不能动,所以每次 forward 在副本上写。"""
        return copy.copy(self)

    def append(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """k, v: (batch, heads, new, dk); returns all keys and values of the layer"""
        old = self.slots[layer]
        if old is not None:
            k = torch.cat((old[0], k), dim=2)
            v = torch.cat((old[1], v), dim=2)
        self.slots[layer] = (k, v)
        return k, v

    def commit(self, new: int) -> KVArena:
        self.length += new
        return self


class SelfAttention(nn.Module):
    def __init__(self, layer: int, hid: int, n_head: int) -> None:
        super().__init__()
        self.layer = layer
        self.n_head = n_head
        self.dk = hid // n_head
        self.q_proj = nn.Linear(hid, hid, bias=False)
        self.k_proj = nn.Linear(hid, hid, bias=False)
        self.v_proj = nn.Linear(hid, hid, bias=False)
        self.o_proj = nn.Linear(hid, hid, bias=False)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.n_head, self.dk)).transpose(1, 2)

    def forward(self, h: Tensor, arena: KVArena) -> Tensor:
        q = self.split(self.q_proj(h))
        k, v = arena.append(self.layer, self.split(self.k_proj(h)), self.split(self.v_proj(h)))
        scores = q @ k.mT / math.sqrt(self.dk)
        hidden = torch.ones(q.size(2), k.size(2), dtype=torch.bool, device=h.device)
        hidden = hidden.triu(diagonal=arena.length + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return self.o_proj((weights @ v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, layer: int, hid: int, n_head: int) -> None:
        super().__init__()
        self.norm_attn = nn.LayerNorm(hid, eps=1e-5)
        self.attn = SelfAttention(layer, hid, n_head)
        self.norm_mlp = nn.LayerNorm(hid, eps=1e-5)
        self.fc1 = nn.Linear(hid, 4 * hid)
        self.gelu = nn.GELU()
        self.fc2 = nn.Linear(4 * hid, hid)

    def mlp(self, h: Tensor) -> Tensor:
        return self.fc2(self.gelu(self.fc1(h)))

    def forward(self, h: Tensor, arena: KVArena) -> Tensor:
        h = h + self.attn(self.norm_attn(h), arena)
        h = h + self.mlp(self.norm_mlp(h))
        return h


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.num_layers = num_layers
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(
            [Layer(i, hidden_dim, num_heads) for i in range(num_layers)]
        )
        self.norm_out = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight  # weight tying

    def _open(self, cache: KVArena | None) -> KVArena:
        return KVArena(self.num_layers) if cache is None else cache.fork()

    def forward(
        self, tokens: Tensor, cache: KVArena | None = None
    ) -> tuple[Tensor, KVArena]:
        arena = self._open(cache)
        new = tokens.size(1)
        pos = torch.arange(new, device=tokens.device) + arena.length
        h = self.wte(tokens) + self.wpe(pos)
        for layer in self.layers:
            h = layer(h, arena)
        return self.lm_head(self.norm_out(h)), arena.commit(new)


class Greedy:
    """贪心解码器,一个实例负责一段文本"""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.cache = None

    def feed(self, tokens: Tensor) -> Tensor:
        logits, self.cache = self.model(tokens, self.cache)
        return torch.argmax(logits[:, -1:], dim=-1)


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            decoder = Greedy(model)
            out, last = [tokens], tokens
            for _ in range(count):
                last = decoder.feed(last)
                out.append(last)
            return torch.cat(out, dim=1)
    finally:
        model.train(mode)
