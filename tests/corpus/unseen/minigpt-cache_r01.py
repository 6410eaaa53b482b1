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


class Block(nn.Module):
    def __init__(self, n_embd: int, n_head: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.ln_1 = nn.LayerNorm(n_embd)
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.c_out = nn.Linear(4 * n_embd, n_embd)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        B, T, C = x.shape
        q, k, v = self.c_attn(self.ln_1(x)).split(C, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        cache, k, v = cache.extended(layer, k, v)
        S = k.size(2)  # old and new
        att = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        seen = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        y = att.masked_fill(~seen, float("-inf")).softmax(dim=-1) @ v
        x = x + self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        x = x + self.c_out(F.gelu(self.c_fc(self.ln_2(x))))
        return x, cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        past = cache.length
        pos = torch.arange(past, past + tokens.size(1), device=tokens.device)
        x = self.wte(tokens) + self.wpe(pos)
        for i, block in enumerate(self.h):
            x, cache = block(x, cache, i)
        return self.ln_f(x) @ self.wte.weight.T, cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    new, cache = tokens, None
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat((tokens, new), dim=1)
    return tokens
