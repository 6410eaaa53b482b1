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


class DecoderLayer(nn.Module):
    def __init__(self, layer_idx: int, hidden_size: int, num_heads: int) -> None:
        super().__init__()
        self.layer_idx = layer_idx
        self.num_heads = num_heads
        self.attn_norm = nn.LayerNorm(hidden_size)
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.mlp_norm = nn.LayerNorm(hidden_size)
        self.fc_in = nn.Linear(hidden_size, 4 * hidden_size)
        self.fc_out = nn.Linear(4 * hidden_size, hidden_size)

    def forward(self, hidden: Tensor, cache: Cache, positions: Tensor) -> tuple[Tensor, Cache]:
        normed = self.attn_norm(hidden)
        q, k, v = (
            proj(normed).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        cache, k, v = cache.extended(self.layer_idx, k, v)
        visible = torch.arange(k.size(2), device=k.device) <= positions[:, None]
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.size(-1) ** -0.5
        probs = torch.where(visible, scores, torch.finfo(scores.dtype).min).softmax(dim=-1)
        context = torch.einsum("bhqk,bhkd->bqhd", probs, v).flatten(2)
        hidden = hidden + self.o_proj(context)
        return hidden + self.fc_out(F.gelu(self.fc_in(self.mlp_norm(hidden)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([DecoderLayer(i, hidden_dim, num_heads) for i in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache or Cache()
        positions = cache.length + torch.arange(tokens.size(1), device=tokens.device)
        hidden = self.token_table(tokens) + self.position_table(positions)
        for layer in self.layers:
            hidden, cache = layer(hidden, cache, positions)
        return F.linear(self.final_norm(hidden), self.token_table.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    pieces, cache = [tokens], None
    for _ in range(count):
        logits, cache = model(pieces[-1], cache)
        best = logits.argmax(dim=-1)
        pieces.append(best[:, :1])
    return torch.cat(pieces, dim=1)
