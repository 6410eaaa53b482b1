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


class TransformerLayer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.ln1 = nn.LayerNorm(d_model)
        self.ln2 = nn.LayerNorm(d_model)
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.fc = nn.Linear(d_model, 4 * d_model)
        self.proj = nn.Linear(4 * d_model, d_model)

    def heads(self, t):
        return t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x, index, cache, mask):
        h = self.ln1(x)
        q, k, v = self.heads(self.wq(h)), self.heads(self.wk(h)), self.heads(self.wv(h))
        cache, k, v = cache.extended(index, k, v)
        att = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(-1))
        att = torch.where(mask, att, torch.finfo(att.dtype).min).softmax(dim=-1)
        x = x + self.wo(torch.einsum("bhij,bhjd->bihd", att, v).flatten(2))
        x = x + self.proj(F.gelu(self.fc(self.ln2(x))))
        return x, cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([TransformerLayer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        # weight tying
        self.lm_head.weight.data = self.wte.weight.data

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = Cache()
        past, new = cache.length, tokens.size(1)
        position = torch.arange(past, past + new, device=tokens.device)
        mask = torch.arange(past + new, device=tokens.device)[None, :] <= position[:, None]
        x = self.wte(tokens) + self.wpe(position)
        for i, layer in enumerate(self.layers):
            x, cache = layer(x, i, cache, mask)
        return self.lm_head(self.ln_f(x)), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    out = [tokens]
    step, cache = tokens, None
    while len(out) <= count:
        logits, cache = model(step, cache)
        step = logits[:, -1:].argmax(dim=-1)
        out.append(step)
    return torch.cat(out, dim=1)
