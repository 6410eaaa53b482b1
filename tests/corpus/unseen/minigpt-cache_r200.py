# attn-kata: minigpt-cache
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


class _Tape:
    """一次 forward 里的写指针:Cache 不可变,这里只记住"最新的那一个"。

    past is frozen at construction, before any layer has written.
    """

    __slots__ = ("_head", "past")

    def __init__(self, start: Cache | None) -> None:
        self._head = Cache() if start is None else start
        self.past = self._head.length

    def push(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self._head, k_all, v_all = self._head.extended(layer, k, v)
        return k_all, v_all

    def seal(self) -> Cache:
        return self._head


class _EvalGuard:
    """RAII: everything in eval mode inside, each module's own flag back outside."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._saved: list[tuple[nn.Module, bool]] = []

    def __enter__(self) -> nn.Module:
        self._saved = [(m, m.training) for m in self._model.modules()]
        return self._model.eval()

    def __exit__(self, *exc) -> None:
        for module, flag in self._saved:
            module.training = flag


class _Attention(nn.Module):
    def __init__(self, layer: int, hid: int, n_head: int) -> None:
        super().__init__()
        self.layer = layer
        self.n_head = n_head
        self.dk = hid // n_head
        self.q_proj = nn.Linear(hid, hid)
        self.kv_proj = nn.Linear(hid, 2 * hid)
        self.out_proj = nn.Linear(hid, hid)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.n_head, self.dk)).transpose(1, 2)

    def forward(self, h: Tensor, tape: _Tape) -> Tensor:
        q = self._heads(self.q_proj(h)) / math.sqrt(self.dk)
        k_new, v_new = self.kv_proj(h).tensor_split(2, dim=-1)
        k, v = tape.push(self.layer, self._heads(k_new), self._heads(v_new))

        t_new, t_all = q.size(2), k.size(2)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if t_new > 1:  # 单步解码不需要 mask
            row = torch.arange(tape.past, t_all, device=h.device)
            col = torch.arange(t_all, device=h.device)
            scores = scores.masked_fill(col > row.unsqueeze(1), float("-inf"))
        ctx = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v)
        return self.out_proj(ctx.flatten(2))


class _Block(nn.Module):
    def __init__(self, layer: int, hid: int, n_head: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(hid)
        self.attn = _Attention(layer, hid, n_head)
        self.norm_2 = nn.LayerNorm(hid)
        self.mlp = nn.Sequential(nn.Linear(hid, 4 * hid), nn.GELU(), nn.Linear(4 * hid, hid))

    def forward(self, h: Tensor, tape: _Tape) -> Tensor:
        h = h + self.attn(self.norm_1(h), tape)
        return h + self.mlp(self.norm_2(h))


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(_Block(i, hidden_dim, num_heads) for i in range(num_layers))
        self.norm_f = nn.LayerNorm(hidden_dim)

    def _embed(self, tokens: Tensor, past: int) -> Tensor:
        places = torch.arange(past, past + tokens.size(1), device=tokens.device)
        return self.token_table(tokens) + self.place_table(places)

    def _head(self, h: Tensor) -> Tensor:
        return F.linear(self.norm_f(h), self.token_table.weight)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        tape = _Tape(cache)
        h = self._embed(tokens, tape.past)
        for block in self.blocks:
            h = block(h, tape)
        return self._head(h), tape.seal()


class _GreedyStream:
    """Iterator over the likeliest tokens: 每次只喂还没算过的 token。"""

    def __init__(self, model: nn.Module, prompt: Tensor) -> None:
        self._model = model
        self._pending = prompt
        self._cache = None

    def __iter__(self) -> _GreedyStream:
        return self

    def __next__(self) -> Tensor:
        logits, self._cache = self._model(self._pending, self._cache)
        self._pending = logits[:, -1].argmax(dim=-1, keepdim=True)
        return self._pending


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    """Return the tokens with the `count` likeliest behind them, (batch, length + count)."""
    pieces = [tokens]
    with _EvalGuard(model) as frozen, torch.no_grad():
        stream = _GreedyStream(frozen, tokens)
        for _ in range(count):
            pieces.append(next(stream))
    return torch.cat(pieces, dim=1)
