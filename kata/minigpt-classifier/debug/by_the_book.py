from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    """Self-attention under a mask and an MLP. It is given: leave it as it is."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def attend(self, x: Tensor, seen: Tensor) -> Tensor:
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(seen == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        return self.output((weights @ value).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        x = x + self.attend(self.attention_norm(x), seen)
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))


class GPT(nn.Module):
    """The body of a GPT. It is given: leave it as it is."""

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, places: Tensor, allowed: Tensor) -> Tensor:
        length = tokens.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        seen = causal & allowed
        x = self.token_table(tokens) + self.position_table(places)
        for block in self.blocks:
            x = block(x, seen)
        return self.final_norm(x)


class GPTClassifier(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        num_classes: int,
    ) -> None:  # fmt: skip
        super().__init__()
        self.body = GPT(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        real = mask != 0
        places = real.cumsum(dim=1) - 1
        places = places.clamp(min=0)
        allowed = real[:, None, None, :]
        hidden = self.body(tokens, places, allowed)
        total = (hidden * real.unsqueeze(-1)).sum(dim=1)
        count = real.sum(dim=1, keepdim=True)
        pooled = total / count
        return self.head(pooled)
