"""Causal attention with a learned sink logit for each head, as in gpt-oss (OpenAI 2025)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Attention whose softmax has one more entry, a number of the head's, that carries no value.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype. What the
    sink takes of a row is given to no key, so that a head can attend to nothing.
    Raises ValueError where hidden_dim is not a multiple of num_heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of {num_heads} heads")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        queries = self.query_proj(x)  # (batch, length, hidden_dim)
        keys = self.key_proj(x)  # (batch, length, hidden_dim)
        values = self.value_proj(x)  # (batch, length, hidden_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        key = keys.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        value = values.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        products = query @ key.mT  # (batch, heads, length, length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        seen = scores.new_ones(length, length).tril()  # (length, length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)  # (batch, heads, length, length)
        head_sinks = self.sinks.view(1, self.num_heads, 1, 1)
        sink = head_sinks.expand(batch, -1, length, -1)  # (batch, heads, length, 1)
        with_sink = torch.cat([masked_scores, sink], dim=-1)  # (batch, heads, length, slots)
        shares = with_sink.softmax(dim=-1)  # (batch, heads, length, slots)
        # The sink has no value: its share is dropped, and a row adds up to less than 1.
        weights = shares[..., :-1]  # (batch, heads, length, length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output
