from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Latents(NamedTuple):
    latent: Tensor
    key_rope: Tensor

    def __add__(self, more: Latents) -> Latents:
        return Latents(*(torch.cat(pair, dim=1) for pair in zip(self, more)))

    @property
    def positions(self) -> int:
        return self.latent.shape[1]


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.key_rope = nn.Linear(latent_dim, rope_dim)
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def turn(self, x: Tensor, first: int) -> Tensor:
        """x is (batch, length, ..., rope_dim)"""
        half = self.rope_dim // 2
        freq = torch.exp(torch.arange(half, device=x.device).double() * (-math.log(10000.0) / half))
        angle = (first + torch.arange(x.shape[1], device=x.device).double())[:, None] * freq
        angle = angle.view(x.shape[1], *(1,) * (x.dim() - 3), half)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x.unflatten(-1, (2, half)).unbind(-2)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x: Tensor, cache: Latents | None = None) -> tuple[Tensor, Latents]:
        first, length = (cache.positions if cache else 0), x.shape[1]
        latent = self.kv_down(x)
        fresh = Latents(latent, self.turn(self.key_rope(latent), first))
        cache = cache + fresh if cache else fresh

        query = self.query(x).unflatten(-1, (self.num_heads, -1))
        content, rotary = query[..., : self.head_dim], self.turn(query[..., self.head_dim :], first)
        key, value = (up(cache.latent).unflatten(-1, (self.num_heads, -1)) for up in (self.key_up, self.value_up))
        scores = torch.einsum("bqhd,bkhd->bhqk", content, key) + torch.einsum("bqhr,bkr->bhqk", rotary, cache.key_rope)
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        ahead = torch.ones(length, first + length, dtype=torch.bool, device=x.device).triu(first + 1)
        weights = scores.masked_fill(ahead, -math.inf).softmax(-1)
        context = torch.einsum("bhqk,bkhd->bqhd", weights, value)
        return self.out(context.flatten(2)), cache
