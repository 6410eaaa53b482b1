"""Llama's block (Touvron et al. 2023; RMSNorm, Zhang & Sennrich 2019; SwiGLU, Shazeer 2020)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LlamaBlock(nn.Module):
    """Grouped-query attention and a SwiGLU MLP, each behind an RMSNorm and beside a residual.

    x is (batch, length, hidden_dim), any float dtype; cos and sin are (length, head_dim/2), of
    the angles by which each position turns each pair of a head. Returns x's shape and dtype.
    Raises ValueError where a number of heads does not divide what it must, or head_dim is odd.
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        if hidden_dim % (2 * num_heads) or num_heads % num_kv_heads:
            raise ValueError(
                f"hidden_dim {hidden_dim} has to be a multiple of twice num_heads {num_heads}, "
                f"and num_heads of num_kv_heads {num_kv_heads}"
            )
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group_size = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_dim = num_kv_heads * self.head_dim
        self.attention_norm = RMSNorm(hidden_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.value_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.mlp_norm = RMSNorm(hidden_dim)
        self.gate_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        attention_input = self.attention_norm(x)  # (batch, length, hidden_dim)
        queries = self.query_proj(attention_input)  # (batch, length, hidden_dim)
        keys = self.key_proj(attention_input)  # (batch, length, kv_heads * head_dim)
        values = self.value_proj(attention_input)  # (batch, length, kv_heads * head_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        kv_split = (batch, length, self.num_kv_heads, self.head_dim)
        plain_query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        plain_key = keys.view(kv_split).transpose(1, 2)  # (batch, kv_heads, length, head_dim)
        kv_value = values.view(kv_split).transpose(1, 2)  # (batch, kv_heads, length, head_dim)
        query = turned(plain_query, cos, sin)  # (batch, heads, length, head_dim)
        kv_key = turned(plain_key, cos, sin)  # (batch, kv_heads, length, head_dim)
        key = kv_key.repeat_interleave(self.group_size, dim=1)  # (batch, heads, length, head_dim)
        value = kv_value.repeat_interleave(self.group_size, 1)  # (batch, heads, length, head_dim)
        products = query @ key.mT  # (batch, heads, length, length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        seen = scores.new_ones(length, length).tril()  # (length, length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)  # (batch, heads, length, length)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        attention_output = self.output_proj(merged)  # (batch, length, hidden_dim)
        attended = x + attention_output  # (batch, length, hidden_dim)
        mlp_input = self.mlp_norm(attended)  # (batch, length, hidden_dim)
        gate = self.gate_proj(mlp_input)  # (batch, length, mlp_dim)
        up = self.up_proj(mlp_input)  # (batch, length, mlp_dim)
        # SiLU on one branch alone: it says how much of the other goes through.
        opened = F.silu(gate)  # (batch, length, mlp_dim)
        gated = opened * up  # (batch, length, mlp_dim)
        mlp_output = self.down_proj(gated)  # (batch, length, hidden_dim)
        output = attended + mlp_output  # (batch, length, hidden_dim)
        return output


class RMSNorm(nn.Module):
    """Scale every position's vector to a root mean square of 1, and each feature by its weight."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_dim))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.square().mean(dim=-1, keepdim=True)  # (batch, length, 1)
        inverse_rms = torch.rsqrt(mean_square + 1e-5)  # (batch, length, 1)
        normed = x * inverse_rms  # (batch, length, hidden_dim)
        return normed * self.weight


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the pairs (i, i + width/2) of (…, length, width) by angles, (length, width/2)."""
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)
