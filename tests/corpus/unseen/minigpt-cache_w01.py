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


class CausalAttention(nn.Module):
    """Attention of the new positions over the cached and the new ones."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        batch, new_length, hidden_dim = x.shape
        # each (B, H, T, D)
        qkv = self.in_proj(x).view(batch, new_length, 3, self.num_heads, self.head_dim)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)

        past_length = cache.length
        cache, key, value = cache.extended(layer, key, value)
        total_length = key.shape[2]

        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)  # (B, H, T, S)
        query_positions = past_length + torch.arange(new_length, device=x.device).unsqueeze(-1)
        key_positions = torch.arange(total_length, device=x.device).unsqueeze(0)
        scores = scores.masked_fill(key_positions > query_positions, float("-inf"))
        context = scores.softmax(dim=-1) @ value
        merged = context.transpose(1, 2).reshape(batch, new_length, hidden_dim)
        return self.out_proj(merged), cache


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.attention = CausalAttention(hidden_dim, num_heads)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        attended, cache = self.attention(self.attention_norm(x), cache, layer)
        x = x + attended
        return x + self.down(F.gelu(self.up(self.mlp_norm(x)))), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache if cache is not None else Cache()
        start = cache.length
        assert start + tokens.shape[1] <= self.block_size, "text longer than block_size"
        positions = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        for layer, block in enumerate(self.blocks):
            x, cache = block(x, cache, layer)
        return self.final_norm(x) @ self.token_embedding.weight.t(), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, newest, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(newest, cache)
        newest = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        text = torch.cat([text, newest], dim=1)
    return text
