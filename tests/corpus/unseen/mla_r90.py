from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def turn(x: Tensor, first: int) -> Tensor:
    """x is (batch, length, ..., rope_dim); row t stands at position first + t."""
    *_, width = x.shape
    half = width // 2
    at = torch.arange(first, first + x.shape[1], dtype=torch.float64, device=x.device)
    slow = torch.exp(torch.arange(half, dtype=torch.float64, device=x.device) * (-math.log(10000) / half))
    angle = torch.outer(at, slow).view(-1, *[1] * (x.dim() - 3), half)
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    a, b = wide.tensor_split(2, dim=-1)
    cos, sin = angle.cos().to(wide.dtype), angle.sin().to(wide.dtype)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: no key and no value is ever made. The cache is one tensor, latent | rotary key."""

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.sizes = num_heads, head_dim, rope_dim, latent_dim
        self.to_query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.to_cache = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.key_up = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.value_up = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.to_output = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Any]:
        heads, head_dim, rope_dim, latent_dim = self.sizes
        past = 0 if cache is None else cache.shape[1]

        latent, key_rope = self.to_cache(x).split([latent_dim, rope_dim], dim=-1)
        entries = torch.cat((latent, turn(key_rope, past)), dim=-1)
        if cache is not None:
            entries = torch.cat((cache, entries), dim=1)

        content, rope = self.to_query(x).unflatten(-1, (heads, -1)).split([head_dim, rope_dim], dim=-1)
        absorbed = torch.einsum("bthd,hdc->bthc", content, self.key_up)
        query = torch.cat((absorbed, turn(rope, past)), dim=-1)

        scores = torch.einsum("bthe,bse->bhts", query, entries) * (head_dim + rope_dim) ** -0.5
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(past + 1)
        weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
        read = torch.einsum("bhts,bsc->bthc", weights, entries[..., :latent_dim])
        context = torch.einsum("bthc,hdc->bthd", read, self.value_up)
        return self.to_output(context.flatten(2)), entries
