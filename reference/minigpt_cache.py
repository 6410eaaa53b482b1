"""A small GPT that generates with a cache (Radford et al. 2019; Shazeer 2019, section 2.4)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cache:
    """Keys and values of every layer, of all positions so far.

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
    """Causal self-attention that reads a cache, and an MLP, each behind a norm."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up_proj = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down_proj = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache, layer: int) -> tuple[Tensor, Cache]:
        batch, length, hidden_dim = x.shape
        attention_input = self.attention_norm(x)  # (batch, length, hidden_dim)
        queries = self.query_proj(attention_input)  # (batch, length, hidden_dim)
        keys = self.key_proj(attention_input)  # (batch, length, hidden_dim)
        values = self.value_proj(attention_input)  # (batch, length, hidden_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        new_key = keys.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        new_value = values.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        grown, key, value = cache.extended(layer, new_key, new_value)
        key_length = key.shape[2]
        products = query @ key.mT
        scores = products / math.sqrt(self.head_dim)
        # The queries are the last of the positions, so the diagonal starts behind the cached ones.
        square = scores.new_ones(length, key_length)
        seen = square.tril(diagonal=key_length - length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)
        weights = masked_scores.softmax(dim=-1)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        attention_output = self.output_proj(merged)  # (batch, length, hidden_dim)
        attended = x + attention_output  # (batch, length, hidden_dim)
        mlp_input = self.mlp_norm(attended)  # (batch, length, hidden_dim)
        expanded = self.up_proj(mlp_input)  # (batch, length, mlp_dim)
        activated = F.gelu(expanded)  # (batch, length, mlp_dim)
        mlp_output = self.down_proj(activated)  # (batch, length, hidden_dim)
        block_output = attended + mlp_output  # (batch, length, hidden_dim)
        return block_output, grown


class CachedGPT(nn.Module):
    """A pre-norm GPT that continues where an earlier call stopped. Its head is its token table.

    tokens is (batch, length), the newest ones; cache is None at first, and then what the call
    before returned. Returns logits, (batch, length, vocab_size), and a cache; the one that was
    given stays as it is. Cached and new positions together are at most block_size.
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = Cache() if cache is None else cache
        start = past.length
        places = torch.arange(start, start + tokens.shape[1], device=tokens.device)  # (length)
        token_vectors = self.token_embedding(tokens)  # (batch, length, hidden_dim)
        position_vectors = self.position_embedding(places)  # (length, hidden_dim)
        embedded = token_vectors + position_vectors  # (batch, length, hidden_dim)
        stream = embedded
        for layer, block in enumerate(self.blocks):
            stream, past = block(stream, past, layer)
        final = self.final_norm(stream)  # (batch, length, hidden_dim)
        logits = F.linear(final, self.token_embedding.weight)  # (batch, length, vocab_size)
        return logits, past


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    """Return the tokens, (batch, length), with the `count` likeliest behind them.

    A call of the model takes tokens and a cache, and gives logits and another cache. No position
    is given to it twice.
    """
    model.eval()
    text = tokens
    fed, cache = tokens, None
    for _ in range(count):
        answer, cache = model(fed, cache)
        newest = answer[:, -1].argmax(dim=-1, keepdim=True)
        text = torch.cat([text, newest], dim=1)
        fed = newest
    return text
