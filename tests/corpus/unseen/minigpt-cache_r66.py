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


class ParallelMLP(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.dense_h_to_4h = nn.Linear(h, 4 * h)
        self.dense_4h_to_h = nn.Linear(4 * h, h)

    def forward(self, x):
        return self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(x)))


class TransformerLayer(nn.Module):
    def __init__(self, h, np, number):
        super().__init__()
        self.np, self.number = np, number
        self.input_layernorm = nn.LayerNorm(h)
        # rows: head, then query, key, value of that head
        self.query_key_value = nn.Linear(h, 3 * h)
        self.dense = nn.Linear(h, h)
        self.post_attention_layernorm = nn.LayerNorm(h)
        self.mlp = ParallelMLP(h)

    def forward(self, x, cache):
        b, s, h = x.shape
        mixed = self.query_key_value(self.input_layernorm(x)).view(b, s, self.np, -1)
        q, k, v = mixed.transpose(1, 2).chunk(3, dim=-1)
        cache, k, v = cache.extended(self.number, k, v)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        later = torch.ones(s, k.shape[2], dtype=torch.bool, device=x.device).triu(k.shape[2] - s + 1)
        probs = scores.masked_fill(later, -math.inf).softmax(-1)
        x = x + self.dense((probs @ v).transpose(1, 2).reshape(b, s, h))
        return x + self.mlp(self.post_attention_layernorm(x)), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.language_model = nn.ModuleDict()
        self.language_model["embedding"] = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(vocab_size, hidden_dim),
                "position_embeddings": nn.Embedding(block_size, hidden_dim),
            }
        )
        self.language_model["transformer"] = nn.ModuleDict(
            {f"layer_{i + 2:02d}": TransformerLayer(hidden_dim, num_heads, i) for i in range(num_layers)}
        )
        self.language_model["final_layernorm"] = nn.LayerNorm(hidden_dim)
        for table in self.language_model["embedding"].values():
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, tokens, cache=None):
        lm = self.language_model
        cache = Cache() if cache is None else cache
        start = cache.length
        place = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = lm["embedding"]["word_embeddings"](tokens) + lm["embedding"]["position_embeddings"](place)
        for layer in lm["transformer"].values():
            x, cache = layer(x, cache)
        x = lm["final_layernorm"](x)
        return F.linear(x, lm["embedding"]["word_embeddings"].weight), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache, new = None, tokens
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1:].argmax(-1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
