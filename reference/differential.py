"""Differential attention (Ye et al. 2024, section 2.1; causal, as in a language model)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """Attention whose weights are the difference of two softmax maps, so that noise cancels.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype. Each of
    num_heads heads has two maps of queries and keys, head_dim = hidden_dim // (2 * num_heads)
    wide, and one value of twice that. depth counts the layers of a model from 0.
    Raises ValueError where hidden_dim is not a multiple of twice num_heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        if hidden_dim % (2 * num_heads):
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of 2 * {num_heads} heads")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambda_query_1 = nn.Parameter(0.1 * torch.randn(self.head_dim))
        self.lambda_key_1 = nn.Parameter(0.1 * torch.randn(self.head_dim))
        self.lambda_query_2 = nn.Parameter(0.1 * torch.randn(self.head_dim))
        self.lambda_key_2 = nn.Parameter(0.1 * torch.randn(self.head_dim))
        self.head_gain = nn.Parameter(torch.ones(2 * self.head_dim))
        self.output_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        queries = self.query_proj(x)  # (batch, length, hidden_dim)
        keys = self.key_proj(x)  # (batch, length, hidden_dim)
        values = self.value_proj(x)  # (batch, length, hidden_dim)
        # Maps 2h and 2h + 1 belong to head h.
        split = (batch, length, 2 * self.num_heads, self.head_dim)
        value_split = (batch, length, self.num_heads, 2 * self.head_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, maps, length, head_dim)
        key = keys.view(split).transpose(1, 2)  # (batch, maps, length, head_dim)
        value = values.view(value_split).transpose(1, 2)  # (batch, heads, length, value_dim)
        products = query @ key.mT  # (batch, maps, length, length)
        scores = products / math.sqrt(self.head_dim)  # (batch, maps, length, length)
        seen = scores.new_ones(length, length).tril()  # (length, length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)  # (batch, maps, length, length)
        weights = masked_scores.softmax(dim=-1)  # (batch, maps, length, length)
        first_map = weights[:, 0::2]  # (batch, heads, length, length)
        second_map = weights[:, 1::2]  # (batch, heads, length, length)
        first_term = (self.lambda_query_1 @ self.lambda_key_1).exp()
        second_term = (self.lambda_query_2 @ self.lambda_key_2).exp()
        factor = first_term - second_term + self.lambda_init
        difference = first_map - factor * second_map  # (batch, heads, length, length)
        context = difference @ value  # (batch, heads, length, value_dim)
        mean_square = context.square().mean(dim=-1, keepdim=True)  # (batch, heads, length, 1)
        inverse_rms = torch.rsqrt(mean_square + 1e-5)  # (batch, heads, length, 1)
        # Each head is normed by itself; the heads' scales differ, since little is left of some.
        normed = context * inverse_rms * self.head_gain  # (batch, heads, length, value_dim)
        scaled_context = normed * (1 - self.lambda_init)  # (batch, heads, length, value_dim)
        by_position = scaled_context.transpose(1, 2)  # (batch, length, heads, value_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output
