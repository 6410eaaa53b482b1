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
    def __init__(self, n_embd, n_head, index):
        super().__init__()
        self.n_head = n_head
        self.index = index
        self.ln_1 = nn.LayerNorm(n_embd)
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.fc = nn.Linear(n_embd, 4 * n_embd)
        self.fc_proj = nn.Linear(4 * n_embd, n_embd)

    def forward(self, x, cache):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n_head, -1).transpose(1, 2) for t in self.c_attn(self.ln_1(x)).chunk(3, -1))
        past = cache.length
        cache, k, v = cache.extended(self.index, k, v)
        att = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        rows = torch.arange(past, past + T, device=x.device)
        cols = torch.arange(k.size(2), device=x.device)
        att = att.masked_fill(cols[None, :] > rows[:, None], float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        x = x + self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        x = x + self.fc_proj(F.gelu(self.fc(self.ln_2(x))))
        return x, cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList([Block(hidden_dim, num_heads, i) for i in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.wte.weight, std=0.02)

    def forward(self, tokens, cache=None):
        cache = Cache() if cache is None else cache
        start = cache.length
        pos = torch.arange(start, start + tokens.size(1), device=tokens.device)
        x = self.wte(tokens) + self.wpe(pos)
        for block in self.h:
            x, cache = block(x, cache)
        return self.ln_f(x) @ self.wte.weight.t(), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    out, new, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1:].argmax(-1)
        out = torch.cat([out, new], dim=1)
    return out
