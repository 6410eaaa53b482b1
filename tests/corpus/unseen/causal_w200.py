# attn-kata: causal
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class GPTAttentionConfig:
    hidden_size: int
    num_heads: int
    block_size: int

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_heads


class CausalMask(nn.Module):
    """Owns the triangle of the longest sequence and hands out the part that is needed."""

    tril: Tensor

    def __init__(self, block_size: int) -> None:
        super().__init__()
        triangle = torch.ones(block_size, block_size, dtype=torch.bool).tril()
        self.register_buffer("tril", triangle, persistent=False)

    def forward(self, scores: Tensor) -> Tensor:
        query_length, key_length = scores.shape[-2:]
        # queries are the newest positions
        window = self.tril[-query_length:, :key_length]
        return scores.masked_fill(~window, float("-inf"))


class SplitHeadsMixin:
    config: GPTAttentionConfig

    def split_heads(self, states: Tensor) -> Tensor:
        batch, length, _ = states.shape
        return states.view(batch, length, self.config.num_heads, self.config.head_dim).transpose(1, 2)

    def merge_heads(self, states: Tensor) -> Tensor:
        return states.transpose(1, 2).flatten(2)


class CausalSelfAttention(SplitHeadsMixin, nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.config = GPTAttentionConfig(hidden_dim, num_heads, block_size)
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mask = CausalMask(block_size)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = map(self.split_heads, self.c_attn(x).chunk(3, dim=-1))
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.config.head_dim)
        weights = self.mask(scores).softmax(dim=-1)
        return self.c_proj(self.merge_heads(weights @ value))
