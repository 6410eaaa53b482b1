# attn-kata: mla-absorbed
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


def apply_rope(states: Tensor, positions: Tensor) -> Tensor:
    """Rotates halves; positions has the shape of states without its last axis, or broadcasts to it."""
    dtype = torch.promote_types(states.dtype, torch.float32)
    half = states.size(-1) // 2
    exponent = torch.arange(half, dtype=dtype, device=states.device) / half
    freqs = positions.to(dtype)[..., None] / 10000.0**exponent
    cos, sin = freqs.cos(), freqs.sin()
    x1, x2 = states.to(dtype).split(half, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)


@dataclass(frozen=True)
class DecodeShapes:
    """Everything that is known from the shapes of the call."""

    heads: int
    query_length: int
    key_length: int
    head_dim: int
    rope_dim: int
    latent_dim: int

    @classmethod
    def infer(cls, query_content: Tensor, query_rope: Tensor, cache: Tensor) -> DecodeShapes:
        _, heads, query_length, head_dim = query_content.shape
        rope_dim = query_rope.size(-1)
        latent_dim = cache.size(-1) - rope_dim
        return cls(heads, query_length, cache.size(1), head_dim, rope_dim, latent_dim)

    @property
    def softmax_scale(self) -> float:
        return 1.0 / math.sqrt(self.head_dim + self.rope_dim)

    def query_positions(self, device: torch.device) -> Tensor:
        return torch.arange(self.key_length - self.query_length, self.key_length, device=device)

    @property
    def tile(self) -> int:
        return 2 * (self.latent_dim + self.rope_dim)

    def visible(self, lengths: Tensor, rows: slice) -> Tensor:
        """(batch, rows, key_length)"""
        own = torch.arange(self.query_length, device=lengths.device) - self.query_length
        last = lengths[:, None] + own[rows]
        return torch.arange(self.key_length, device=lengths.device) <= last[..., None]


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotated = apply_rope(key_rope, positions).to(latent.dtype)
    return torch.cat([latent, rotated], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    shapes = DecodeShapes.infer(query_content, query_rope, cache)
    dtype = torch.promote_types(query_content.dtype, torch.float32)
    ends = torch.arange(shapes.key_length, device=cache.device) < lengths[:, None]
    entries = cache.to(dtype).masked_fill(~ends[..., None], 0.0)
    latents = entries[..., : shapes.latent_dim]

    query_positions = shapes.query_positions(query_rope.device)
    up = kv_up.view(shapes.heads, 2, shapes.head_dim, shapes.latent_dim)

    outputs = []
    for nope, pe, (w_uk, w_uv) in zip(query_content.unbind(1), query_rope.unbind(1), up):
        q_nope = nope.to(dtype) @ w_uk.to(dtype)
        q_pe = apply_rope(pe, query_positions)
        query = torch.cat([q_nope, q_pe], dim=-1) * shapes.softmax_scale

        read = []
        for start in range(0, shapes.query_length, shapes.tile):
            rows = slice(start, start + shapes.tile)
            hidden = ~shapes.visible(lengths, rows)
            scores = (query[:, rows] @ entries.mT).masked_fill(hidden, float("-inf"))
            read.append(scores.softmax(dim=-1) @ latents)
        outputs.append(torch.cat(read, dim=1) @ w_uv.to(dtype).T)
    return torch.stack(outputs, dim=1).to(query_content.dtype)
