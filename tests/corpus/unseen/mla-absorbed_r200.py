# attn-kata: mla-absorbed
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

ROPE_THETA: float = 10000.0


def compute_dtype(tensor: Tensor) -> torch.dtype:
    return torch.promote_types(tensor.dtype, torch.float32)


@dataclass(frozen=True, eq=False)
class Rotary:
    """cos and sin of whole-numbered positions of any shape."""

    positions: Tensor
    dim: int
    dtype: torch.dtype

    @cached_property
    def angles(self) -> Tensor:
        pair = torch.arange(self.dim // 2, dtype=torch.float64, device=self.positions.device)
        return self.positions.double().unsqueeze(-1) * ROPE_THETA ** (-2 * pair / self.dim)

    def __call__(self, states: Tensor) -> Tensor:
        a, b = states.to(self.dtype).chunk(2, dim=-1)
        cos, sin = self.angles.cos().to(self.dtype), self.angles.sin().to(self.dtype)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


@dataclass(frozen=True, eq=False)
class UpProjection:
    """kv_b_proj, read head by head."""

    weight: Tensor
    heads: int

    @cached_property
    def by_head(self) -> Tensor:
        return self.weight.unflatten(0, (self.heads, 2, -1))

    def absorb(self, head: int, query: Tensor) -> Tensor:
        return query @ self.by_head[head, 0].to(query.dtype)

    def expand(self, head: int, context: Tensor) -> Tensor:
        return context @ self.by_head[head, 1].to(context.dtype).T


@dataclass(frozen=True, eq=False)
class LatentMemory:
    """The cache in the compute dtype; what lies behind a sequence's end is blanked."""

    entries: Tensor
    lengths: Tensor
    latent_dim: int

    @classmethod
    def load(cls, cache: Tensor, lengths: Tensor, rope_dim: int, dtype: torch.dtype) -> LatentMemory:
        slot = torch.arange(cache.size(1), device=cache.device)
        foreign = slot >= lengths.unsqueeze(1)
        entries = cache.to(dtype).masked_fill(foreign.unsqueeze(-1), 0.0)
        return cls(entries, lengths, cache.size(-1) - rope_dim)

    def read(self, query: Tensor, at: Tensor, scale: float) -> Tensor:
        """query (batch, rows, latent_dim + rope_dim) at (batch, rows) -> weighted latents."""
        slot = torch.arange(self.entries.size(1), device=query.device)
        scores = torch.bmm(query * scale, self.entries.mT)
        scores = scores.masked_fill(slot > at.unsqueeze(-1), -torch.inf)
        return torch.bmm(scores.softmax(dim=-1), self.entries[..., : self.latent_dim])


def tiles(rows: int, limit: int) -> Iterator[slice]:
    """Cut rows so that the scores of one head stay within what the cache itself takes, twice."""
    return (slice(begin, min(begin + limit, rows)) for begin in range(0, rows, limit))


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotary = Rotary(positions, key_rope.size(-1), compute_dtype(key_rope))
    return torch.cat((latent, rotary(key_rope).to(latent.dtype)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, heads, query_length, head_dim = query_content.shape
    rope_dim = query_rope.size(-1)
    dtype = compute_dtype(query_content)
    scale = (head_dim + rope_dim) ** -0.5

    lengths = lengths.to(cache.device)
    at = lengths.unsqueeze(1) - query_length + torch.arange(query_length, device=cache.device)
    memory = LatentMemory.load(cache, lengths, rope_dim, dtype)
    up = UpProjection(kv_up, heads)
    rotary = Rotary(at, rope_dim, dtype)

    outputs = []
    for head in range(heads):
        content = up.absorb(head, query_content[:, head].to(dtype))
        query = torch.cat((content, rotary(query_rope[:, head])), dim=-1)
        read = [memory.read(query[:, t], at[:, t], scale) for t in tiles(query_length, 2 * cache.size(-1))]
        outputs.append(up.expand(head, torch.cat(read, dim=1)))
    return torch.stack(outputs, dim=1).to(query_content.dtype)
