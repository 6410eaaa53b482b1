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


# One (key, value) pair for each layer, as Hugging Face used to pass them: tuples, never changed.
Pair = tuple  # (batch, heads, length, head_dim) twice
PastKeyValues = tuple


class SelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def split_heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, allowed: Tensor, past: Pair | None
    ) -> tuple[Tensor, Pair]:
        query = self.split_heads(self.q_proj(hidden_states))
        key = self.split_heads(self.k_proj(hidden_states))
        value = self.split_heads(self.v_proj(hidden_states))
        if past is not None:
            key = torch.cat((past[0], key), dim=-2)
            value = torch.cat((past[1], value), dim=-2)
        scores = torch.matmul(query, key.mT) * self.head_dim**-0.5
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        context = torch.matmul(F.softmax(scores, dim=-1), value)
        return self.o_proj(context.transpose(1, 2).flatten(2)), (key, value)


class DecoderLayer(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attention = SelfAttention(hidden_dim, num_heads)
        self.mlp_norm = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(approximate="none"),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def forward(
        self, hidden_states: Tensor, allowed: Tensor, past: Pair | None
    ) -> tuple[Tensor, Pair]:
        attended, present = self.attention(self.attention_norm(hidden_states), allowed, past)
        hidden_states = hidden_states + attended
        return hidden_states + self.mlp(self.mlp_norm(hidden_states)), present


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([DecoderLayer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(
        self, tokens: Tensor, cache: PastKeyValues | None = None
    ) -> tuple[Tensor, PastKeyValues]:
        past_length = 0 if cache is None else cache[0][0].shape[-2]
        new_length = tokens.shape[1]
        places = torch.arange(past_length + new_length, device=tokens.device)
        new_places = places[past_length:]
        allowed = places[None, :] <= new_places[:, None]  # (new, old and new)

        hidden_states = self.token_embedding(tokens) + self.position_embedding(new_places)
        presents = []
        for index, layer in enumerate(self.layers):
            past = None if cache is None else cache[index]
            hidden_states, present = layer(hidden_states, allowed, past)
            presents.append(present)
        logits = F.linear(self.final_norm(hidden_states), self.token_embedding.weight)
        return logits, tuple(presents)


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    pieces = [tokens]
    cache = None
    with torch.no_grad():
        while len(pieces) <= count:
            logits, cache = model(pieces[-1], cache)
            pieces.append(torch.argmax(logits[:, -1:, :], dim=-1))
    return torch.cat(pieces, dim=1)
