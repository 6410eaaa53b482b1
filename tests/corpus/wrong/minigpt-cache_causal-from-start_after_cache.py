# wrong: minigpt-cache causal-from-start line 58
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


class Attention(nn.Module):
    def __init__(self, dim, heads, layer):
        super().__init__()
        self.heads, self.layer = heads, layer
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.o_proj = nn.Linear(dim, dim)

    def _split(self, t):
        return t.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def forward(self, hidden, cache):
        q = self._split(self.q_proj(hidden))
        k = self._split(self.k_proj(hidden))
        v = self._split(self.v_proj(hidden))
        cache, k, v = cache.extended(self.layer, k, v)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        # a single new token may look at everything
        if q.size(2) > 1:
            keep = torch.ones(q.size(2), k.size(2), dtype=torch.bool, device=q.device).tril()
            scores = scores.masked_fill(~keep, -math.inf)
        ctx = scores.softmax(-1) @ v
        return self.o_proj(ctx.transpose(1, 2).flatten(2)), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.embed_tokens = nn.Embedding(vocab_size, hidden_dim)
        self.embed_positions = nn.Embedding(block_size, hidden_dim)
        self.self_attn = nn.ModuleList(Attention(hidden_dim, num_heads, i) for i in range(num_layers))
        self.mlp = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(hidden_dim), nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim))
            for _ in range(num_layers)
        )
        self.input_norm = nn.ModuleList(nn.LayerNorm(hidden_dim) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = Cache()
        position = cache.length + torch.arange(tokens.size(1), device=tokens.device)
        hidden = self.embed_tokens(tokens) + self.embed_positions(position)
        for norm, attn, mlp in zip(self.input_norm, self.self_attn, self.mlp):
            delta, cache = attn(norm(hidden), cache)
            hidden = hidden + delta
            hidden = hidden + mlp(hidden)
        return self.norm(hidden) @ self.embed_tokens.weight.T, cache


def generate(model, tokens, count):
    model.eval()
    out, feed, cache = [tokens], tokens, None
    with torch.inference_mode():
        for _ in range(count):
            logits, cache = model(feed, cache)
            feed = logits[:, -1].argmax(-1).unsqueeze(-1)
            out.append(feed)
    return torch.cat(out, dim=-1)
