# right: mla
# Rotary keys are cached as they come and turned at every call; a cache class of its own.
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class LatentCache:
    latents: Tensor
    raw_keys: Tensor

    @property
    def length(self) -> int:
        return self.latents.shape[1]

    def extended(self, latents: Tensor, raw_keys: Tensor) -> LatentCache:
        return LatentCache(
            torch.cat([self.latents, latents], dim=1), torch.cat([self.raw_keys, raw_keys], dim=1)
        )


class RotaryHalves(nn.Module):
    def __init__(self, width: int, base: float = 10_000.0) -> None:
        super().__init__()
        self.width, self.base = width, base

    def forward(self, x: Tensor, start: int) -> Tensor:
        step = torch.arange(self.width // 2, dtype=torch.float64, device=x.device)
        speed = self.base ** (-2 * step / self.width)
        place = torch.arange(start, start + x.shape[-2], dtype=torch.float64, device=x.device)
        angle = torch.einsum("t,i->ti", place, speed)
        front, back = x.double().tensor_split(2, dim=-1)
        turned = (front * angle.cos() - back * angle.sin(), front * angle.sin() + back * angle.cos())
        return torch.cat(turned, dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.widths = head_dim, rope_dim
        self.rope = RotaryHalves(rope_dim)
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.compress = nn.Linear(hidden_dim, latent_dim)
        self.shared_key = nn.Linear(hidden_dim, rope_dim)
        self.keys = nn.Linear(latent_dim, num_heads * head_dim)
        self.values = nn.Linear(latent_dim, num_heads * head_dim)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)

    def split_heads(self, tensor: Tensor) -> Tensor:
        return tensor.unflatten(-1, (self.num_heads, -1)).movedim(2, 1)

    def forward(self, x: Tensor, cache: LatentCache | None = None) -> tuple[Tensor, LatentCache]:
        latents, raw = self.compress(x), self.shared_key(x)
        start = 0 if cache is None else cache.length
        cache = LatentCache(latents, raw) if cache is None else cache.extended(latents, raw)
        content, positional = self.split_heads(self.query(x)).split(self.widths, dim=-1)
        positional = self.rope(positional, start)
        rotary_keys = self.rope(cache.raw_keys, 0)
        scores = content @ self.split_heads(self.keys(cache.latents)).mT
        scores = (scores + positional @ rotary_keys.mT[:, None]) / sum(self.widths) ** 0.5
        length, total = scores.shape[-2:]
        visible = scores.new_ones(length, total, dtype=torch.bool).tril(total - length)
        weights = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(dim=-1)
        context = weights @ self.split_heads(self.values(cache.latents))
        return self.output(context.movedim(1, 2).flatten(2)), cache
